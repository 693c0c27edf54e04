import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rootDir } from '../apps/server/test/paths.ts'
import { createProgram, reservedWords } from '../packages/pml/src/cli/program.ts'
import type { readCommands } from '../packages/pml/src/commands/read-commands.ts'
import { runPml } from '../packages/pml/test/pml-process.ts'
import { makeWorkspace, type TestWorkspace } from '../packages/pml/test/test-workspace.ts'
import { memoTools } from '../packages/tools/test/memo-tools.ts'
import { bundleCommand, placesIn } from '../scripts/bundle-pml.mjs'
import { writeCommands } from '../scripts/write-commands.mjs'

const packageDir = join(rootDir, 'packages', 'pml')

let page: string
let copy: string
let workspace: TestWorkspace

/** A copy of the package with one more file: the command of docs/tools.md. */
beforeAll(async () => {
  page = await readFile(join(rootDir, 'docs', 'tools.md'), 'utf8')
  const [, file = '', code = ''] = /^```ts\n\/\/ packages\/pml\/(\S+)\n([^]*?)^```$/m.exec(page) ?? []
  copy = await mkdtemp(join(packageDir, 'test', 'added-'))
  const isNeeded = (path: string) => !path.endsWith('.test.ts')
  for (const part of ['bin', 'src', 'package.json'])
    await cp(join(packageDir, part), join(copy, part), { recursive: true, filter: isNeeded })
  await writeFile(join(copy, file), code)
  await build()
  workspace = await makeWorkspace('http://127.0.0.1:9')
})
afterAll(async () => {
  await workspace.remove()
  await rm(copy, { recursive: true })
})

async function build(): Promise<void> {
  const [source, folder] = [join(copy, 'src'), join(copy, 'bundle')]
  await bundleCommand({ source, folder })
  const reader = pathToFileURL(join(source, 'commands', 'read-commands.ts')).href
  const read = ((await import(reader)) as { readCommands: typeof readCommands }).readCommands
  const { tools: own } = await read(await placesIn(join(source, 'commands')))
  expect(own.validateAll().problems).toEqual([])
  const flags = createProgram('', []).flags.map(({ flag }) => flag)
  await writeCommands({ tools: memoTools(), own, folder: join(folder, 'commands'), reservedWords, flags })
}

const run = (...argv: string[]) =>
  runPml(join(copy, 'bin', 'pml.js'), argv, { cwd: workspace.root, env: workspace.env })

describe('the command of docs/tools.md', () => {
  it('runs', async () => {
    const [, words = ''] = /^npx --no pml (lock .*)$/m.exec(page) ?? []
    const argv = words.split(' ')
    expect(await run(...argv)).toEqual({ exit: 0, stdout: '0 locked\n', stderr: '' })
    expect(await run(...argv, '--json')).toEqual({ exit: 0, stdout: '{"entries":0}\n', stderr: '' })
  })

  it('checks its arguments', async () => {
    const { exit, stderr } = await run('lock', 'count', '--type', 'shell')
    expect([exit, stderr]).toEqual([2, expect.stringContaining('Cannot call lock_count: type: ')])
  })

  it('has help, and is in the list of its noun', async () => {
    const { stdout } = await run('help', 'lock', 'count')
    expect(stdout).toContain('Count the entries of the lockfile.')
    expect(stdout).toContain('one of "deno", "http", "stdio"')
    expect(stdout).toContain('pml lock count --type stdio')
    expect((await run('lock')).stdout).toMatch(/^ +count +Count the entries of the lockfile\.$/m)
  })
})
