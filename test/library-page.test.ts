import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rootDir } from '../apps/server/test/paths.ts'
import { startRegistry, type TestRegistry } from '../apps/server/test/registry.ts'
import { denoPath } from '../packages/pml/test/test-workspace.ts'

const run = promisify(execFile)
const { PATH = '', HOME = '' } = process.env

let folder: string
let workspace: string
let registry: TestRegistry
let env: Record<string, string>

/** The packed tarball, installed where nothing of this repository is. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pml-elsewhere-'))
  workspace = join(folder, 'workspace')
  await mkdir(workspace)
  registry = await startRegistry({ stdDir: join(rootDir, 'packages', 'std', 'src') })
  const { Authorization } = await registry.key('admin')
  env = {
    PATH,
    HOME,
    PML_REGISTRY_URL: registry.url,
    PML_API_KEY: Authorization.replace('Bearer ', ''),
    PML_CACHE_DIR: join(folder, 'cache'),
    PML_DENO: denoPath,
  }
  const { stdout } = await run(process.execPath, [join(rootDir, 'scripts', 'pack.mjs')])
  const tarball = stdout.trim().split('\n').at(-1) ?? ''
  await writeFile(join(workspace, 'package.json'), '{"private":true}')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: workspace })
})
afterAll(async () => {
  await registry.stop()
  await rm(folder, { recursive: true })
})

describe('the packed tarball', () => {
  it('brings nothing else along, and has no install scripts', async () => {
    const manifest = await readFile(join(workspace, 'node_modules', 'pml', 'package.json'), 'utf8')
    const { scripts, dependencies } = JSON.parse(manifest) as Record<string, unknown>
    expect({ scripts, dependencies }).toEqual({ scripts: undefined, dependencies: undefined })
  })

  it('is a command', async () => {
    const pml = join(workspace, 'node_modules', '.bin', 'pml')
    expect((await run(pml, ['--version'], { env })).stdout).toBe('0.1.0\n')
    const { stdout } = await run(pml, ['lock', 'show', '--json'], { env, cwd: workspace })
    expect(JSON.parse(stdout)).toEqual({ path: expect.any(String), entries: [] })
  })

  it('has types that a strict compiler accepts and checks by', async () => {
    const right =
      "import { openPml, type Approval } from 'pml'\nconst pml = await openPml({ frozen: true })\n"
    const use = 'const asked: readonly Approval[] = await pml.pending()\nexport default asked\n'
    expect(await compile('right.mts', right + use)).toBe('')
    expect(await compile('wrong.mts', `${right}export default await pml.call(1)\n`)).toContain('TS2345')
  })
})

describe('docs/library.md', () => {
  it('says what its examples print', async () => {
    const page = await readFile(join(rootDir, 'docs', 'library.md'), 'utf8')
    const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    let printed: string | undefined
    let compared = 0
    for (const [index, [, kind, text = '']] of blocks.entries()) {
      if (kind === 'json') await writeFile(join(workspace, '.pml.json'), text)
      if (kind === 'js') printed = await runExample(`example-${index}.mjs`, text)
      if (kind === 'text') {
        expect(printed).toBe(text)
        compared++
      }
    }
    expect(compared).toBe(blocks.filter(([, kind]) => kind === 'js').length)
  })
})

async function runExample(name: string, code: string): Promise<string> {
  await writeFile(join(workspace, name), code)
  return (await run(process.execPath, [name], { cwd: workspace, env })).stdout
}

/** What the compiler says. */
async function compile(name: string, code: string): Promise<string> {
  await writeFile(join(workspace, name), code)
  const tsc = join(rootDir, 'node_modules', 'typescript', 'bin', 'tsc')
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--types', '', '--lib', 'es2023,dom']
  const args = [tsc, ...flags, '--module', 'nodenext', '--target', 'es2023', name]
  return run(process.execPath, args, { cwd: workspace }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
}
