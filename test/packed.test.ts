import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rootDir } from '../apps/server/test/paths.ts'
import { startRegistry, type TestRegistry } from '../apps/server/test/registry.ts'
import { startServer } from '../apps/server/test/server-process.ts'
import { agreeTo } from '../packages/pml/test/agree-to.ts'
import { answerAnywhere, denoPath } from '../packages/pml/test/test-workspace.ts'

const run = promisify(execFile)
const { PATH = '', HOME = '' } = process.env
/** Two npm trees are installed from the network. */
const INSTALL_TIMEOUT_MS = 300_000

let folder: string
let tarball: string
let workspace: string
let registry: TestRegistry
let env: Record<string, string>

/** The packed tarball, installed outside of this repository. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pml-elsewhere-'))
  workspace = join(folder, 'workspace')
  await mkdir(workspace)
  await answerAnywhere(join(folder, 'config'))
  registry = await startRegistry({ stdDir: join(rootDir, 'packages', 'std', 'src') })
  const { Authorization } = await registry.key('admin')
  env = {
    PATH,
    HOME,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    PML_REGISTRY_URL: registry.url,
    PML_API_KEY: Authorization.replace('Bearer ', ''),
    PML_CACHE_DIR: join(folder, 'cache'),
    PML_DENO: denoPath,
  }
  const { stdout } = await run(process.execPath, [join(rootDir, 'scripts', 'pack.mjs')])
  tarball = stdout.trim().split('\n').at(-1) ?? ''
  await writeFile(join(workspace, 'package.json'), '{"private":true}')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: workspace })
}, INSTALL_TIMEOUT_MS)
afterAll(async () => {
  await registry.stop()
  await rm(folder, { recursive: true })
})

describe('the packed tarball', () => {
  it('has no dependencies and no install scripts', async () => {
    const manifest = await readFile(
      join(workspace, 'node_modules', '@pml-registry', 'pml', 'package.json'),
      'utf8',
    )
    const { scripts, dependencies } = JSON.parse(manifest) as Record<string, unknown>
    expect({ scripts, dependencies }).toEqual({ scripts: undefined, dependencies: undefined })
  })

  it('contains the schema of server files for editors', async () => {
    const schema = join(workspace, 'node_modules', '@pml-registry', 'pml', 'bundle', 'mcp-server.schema.json')
    expect(JSON.parse(await readFile(schema, 'utf8'))).toMatchObject({ title: 'Local MCP servers' })
  })

  it('is used by npx in a project that has it, without a registry', async () => {
    const { stdout } = await run('npx', ['--no', '--offline', 'pml', '--version'], { env, cwd: workspace })
    expect(stdout).toBe('0.1.0\n')
  })

  it('is a command', async () => {
    const pml = join(workspace, 'node_modules', '.bin', 'pml')
    expect((await run(pml, ['--version'], { env })).stdout).toBe('0.1.0\n')
    const { stdout } = await run(pml, ['lock', 'show', '--json'], { env, cwd: workspace })
    expect(JSON.parse(stdout)).toEqual({ path: expect.any(String), entries: [] })
  })

  it('is a hook that blocks what it must and allows the rest', async () => {
    const judge = (file_path: string) => {
      const input = JSON.stringify({
        hook_event_name: 'PreToolUse',
        cwd: workspace,
        tool_name: 'Write',
        tool_input: { file_path, content: '' },
      })
      const { status, stderr } = spawnSync(
        join(workspace, 'node_modules', '.bin', 'pml'),
        ['hook', '--agent', 'claude'],
        {
          env: { ...env, HOME: workspace },
          cwd: workspace,
          input,
          encoding: 'utf8',
        },
      )
      return [status, stderr.split('\n')[0]]
    }
    expect(judge('workspace/a.js')).toEqual([2, 'BLOCKED::EXECUTABLE_IN_WORKSPACE'])
    expect(judge('notes.md')).toEqual([0, ''])
    expect(judge('node_modules/@pml-registry/pml/bin/pml.js')).toEqual([2, 'BLOCKED::GUARD_CHANGED'])
  })

  it('has types that a strict compiler accepts and uses', async () => {
    const right =
      "import { openEnforcement, openPml, type Approval } from '@pml-registry/pml'\nexport const { valid } = openEnforcement().validateSpawnWorker('x', [])\nconst pml = await openPml({ frozen: true })\n"
    const use = 'const asked: readonly Approval[] = await pml.pending()\nexport default asked\n'
    expect(await compile('right.mts', right + use)).toBe('')
    expect(await compile('wrong.mts', `${right}export default await pml.call(1)\n`)).toContain('TS2345')
  })
})

describe('the docs', () => {
  it('never say "npx pml", which asks a public registry where pml is not installed', async () => {
    const folders = ['.', 'docs', 'packages/pml', 'packages/std']
    const pages = await Promise.all(
      folders.map(async (name) => {
        const folder = join(rootDir, name)
        const names = (await readdir(folder)).filter((page) => page.endsWith('.md'))
        return Promise.all(names.map((page) => readFile(join(folder, page), 'utf8')))
      }),
    )
    expect(pages.flat().length).toBeGreaterThan(20)
    const lines = pages.flat().flatMap((text) => text.split('\n'))
    expect(lines.filter((line) => /\bnpx pml\b/.test(line))).toEqual([])
  })

  it('install the tarball by its name', async () => {
    const page = await readFile(join(rootDir, 'docs', 'command-line.md'), 'utf8')
    expect(page).toContain(`npm install --save-dev ./${basename(tarball)}`)
  })
})

describe('docs/library.md', () => {
  it('shows the output of its examples', async () => {
    const page = await readFile(join(rootDir, 'docs', 'library.md'), 'utf8')
    const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    let printed: string | undefined
    let compared = 0
    for (const [index, [, kind, text = '']] of blocks.entries()) {
      if (kind === 'json') {
        await writeFile(join(workspace, '.pml.json'), text)
        await agreeTo(workspace, env)
      }
      if (kind === 'js') printed = await runExample(`example-${index}.mjs`, text)
      if (kind === 'text') {
        expect(printed).toBe(text)
        compared++
      }
    }
    expect(compared).toBe(blocks.filter(([, kind]) => kind === 'js').length)
  })
})

describe('from an empty folder, with the tarball and a registry', () => {
  it(
    'a server is added, run, stopped at when it changed, approved, and used offline',
    async () => {
      const configDir = await makeConfig()
      const dataDir = join(folder, 'data')
      const server = await startServer({ PML_DATA_DIR: dataDir, PML_CONFIG_DIR: configDir })
      const demo = join(folder, 'demo')
      await mkdir(demo)
      const call = ['run', 'filesystem:list_directory', '--input', '{"path":"."}', '--json']
      const pml = (...argv: string[]) => runCommand(argv, { cwd: demo, registry: server.url })

      expect(await pml('init', '--json')).toMatchObject({ exit: 0 })
      const added = await pml('add', 'filesystem', 'memory', '--json')
      expect(added).toMatchObject({ exit: 0, output: { added: [{ type: 'stdio' }, { type: 'stdio' }] } })
      expect(await pml(...call)).toMatchObject({
        exit: 0,
        output: { result: { content: expect.stringContaining('[FILE] .pml.json') } },
      })

      await changeDescription(configDir, 'filesystem', 'Reads files, and does more than before.')
      const asked = await untilAsked(() => pml(...call))
      expect(asked).toMatchObject({
        exit: 3,
        output: {
          approvalType: 'integrity',
          fqdn: 'pml.mcp.filesystem.server',
          diff: expect.stringContaining('Reads files, and does more than before.'),
        },
      })
      const approved = await pml('continue', String(asked.output['workflowId']), '--approve', '--json')
      expect(approved).toMatchObject({ exit: 0, output: { approvalType: 'integrity' } })

      await server.stop()
      expect(await pml(...call)).toMatchObject({ exit: 0, output: { fqdn: approved.output['fqdn'] } })
      expect(await pml(...call, '--offline')).toMatchObject({ exit: 0 })
    },
    INSTALL_TIMEOUT_MS,
  )
})

/** Two servers of this repository's own configuration, with their pins. */
async function makeConfig(): Promise<string> {
  const configDir = join(folder, 'config')
  await mkdir(join(configDir, 'pins'), { recursive: true })
  const { mcpServers } = JSON.parse(await readFile(join(rootDir, 'config', 'mcp-servers.json'), 'utf8')) as {
    mcpServers: Record<string, unknown>
  }
  const { filesystem, memory } = mcpServers
  await writeFile(join(configDir, 'mcp-servers.json'), JSON.stringify({ mcpServers: { filesystem, memory } }))
  for (const pin of ['filesystem.json', 'memory.json'])
    await cp(join(rootDir, 'config', 'pins', pin), join(configDir, 'pins', pin))
  return configDir
}

async function changeDescription(configDir: string, server: string, description: string): Promise<void> {
  const file = join(configDir, 'mcp-servers.json')
  const config = JSON.parse(await readFile(file, 'utf8')) as { mcpServers: Record<string, object> }
  config.mcpServers[server] = { ...config.mcpServers[server], description }
  await writeFile(file, JSON.stringify(config))
}

interface Ran {
  readonly exit: number
  readonly output: Record<string, unknown>
}

/** The registry reloads its configuration by itself; until then the call succeeds as before. */
async function untilAsked(call: () => Promise<Ran>): Promise<Ran> {
  for (;;) {
    const ran = await call()
    if (ran.exit !== 0) return ran
  }
}

async function runCommand(
  argv: string[],
  { cwd, registry: url }: { cwd: string; registry: string },
): Promise<Ran> {
  const pml = join(workspace, 'node_modules', '.bin', 'pml')
  const options = { cwd, env: { ...env, PML_REGISTRY_URL: url, PML_API_KEY: '' } }
  const { stdout, code = 0 } = await run(pml, argv, options).then(
    (done) => ({ ...done, code: 0 }),
    (failed: { stdout: string; code: number }) => failed,
  )
  return { exit: code, output: JSON.parse(stdout) as Record<string, unknown> }
}

async function runExample(name: string, code: string): Promise<string> {
  await writeFile(join(workspace, name), code)
  return (await run(process.execPath, [name], { cwd: workspace, env })).stdout
}

/** The output of the compiler. */
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
