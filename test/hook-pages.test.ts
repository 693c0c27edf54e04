import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { compileNative, parsePolicy, runExamples } from '@pml/hooks'
import { readCommand } from '@pml/hooks/shell'
import { callerWith } from '../apps/server/test/approvals.ts'
import { rootDir } from '../apps/server/test/paths.ts'
import { startRegistry } from '../apps/server/test/registry.ts'
import { shellIn } from './shell-in.ts'

const run = promisify(execFile)

describe('the commands of the walkthrough', () => {
  it('guard an agent: install, doctor, test, and the loop from block to block', async () => {
    const registry = await startRegistry({ configDir: join(rootDir, 'config') })
    const { key } = await callerWith(registry, ['admin'])
    const sections = [
      await shellIn('docs/walkthrough.md', 'Approve what agents change'),
      await shellIn('docs/walkthrough.md', 'Guard what agents do'),
    ]
    const script = sections
      .join('echo GUARD\n')
      .replace('api=localhost:3000', `api=${new URL(registry.url).host}`)
      .replaceAll('npx --no pml', `node ${join(rootDir, 'packages', 'pml', 'bin', 'pml.js')}`)
    const folder = await mkdtemp(join(tmpdir(), 'pml-guard-'))
    await mkdir(join(folder, 'data'))
    await writeFile(join(folder, 'data', 'admin-key'), `${key}\n`)
    const env = { PATH: process.env['PATH'], HOME: folder, PML_CACHE_DIR: join(folder, 'cache') }
    const { stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env })
    await rm(folder, { recursive: true })
    await registry.stop()
    const said = stdout.slice(stdout.indexOf('GUARD'))
    expect(said).toContain('.claude/settings.json: written')
    expect(said).toMatch(/^ {2}ok +project hook blocks workspace\/send_telegram\.js\n +works$/m)
    expect(said).toMatch(/^ {2}ok +project hook lets through notes\.md\n +works$/m)
    expect(said).toMatch(/^ok\s+true$/m)
    expect(stderr).toMatch(/^BLOCKED::EXECUTABLE_IN_WORKSPACE$/m)
    expect(said).toMatch(/^BLOCKED::TEST_PLACEHOLDER$/m)
    expect(said).toMatch(/exit 2\n[^]*"token"[^]*passes\nexit 2\n$/)
  })
})

describe('the policy of docs/hooks.md', () => {
  it('overrides the built-in one, and its examples pass', async () => {
    const page = await readFile(join(rootDir, 'docs', 'hooks.md'), 'utf8')
    const [, text = ''] = /```json\n([^]*?)```/.exec(page) ?? []
    const reading = { compile: compileNative, examples: 'read', installation: [] } as const
    const file = join(rootDir, 'config', 'enforcement.json')
    const base = parsePolicy(await readFile(file, 'utf8'), file, reading)
    const policy = parsePolicy(text, 'docs/hooks.md', { ...reading, base })
    const results = runExamples(policy, readCommand).filter(({ rule }) => rule === 'NO_NEW_MIGRATIONS')
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true])
    expect(policy.rules.some(({ id }) => id === 'OPERATION_IN_WORKSPACE')).toBe(false)
  })
})
