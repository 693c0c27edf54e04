import { once } from 'node:events'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCatalog } from '../../test/catalog.ts'
import { startConfigured, type ConfiguredRegistry } from '../../test/configured-registry.ts'
import { hasTerminal } from '../../test/terminal.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

const bin = fileURLToPath(new URL('../../bin/pml.js', import.meta.url))
const INSTALL_MS = 300_000

let registry: ConfiguredRegistry
let cacheDir: string
let workspace: TestWorkspace

beforeAll(async () => {
  cacheDir = await realpath(await mkdtemp(join(tmpdir(), 'pml-trees-')))
  registry = await startConfigured('memory', 'tavily')
  const catalog = await openCatalog(registry)
  await catalog.command('absent', ['no-such-program-at-all'])
  await catalog.code('acme.tools.text.shout', 'export default () => "loud"\n')
  workspace = await makeWorkspace(registry.url)
  workspace.env['PML_CACHE_DIR'] = cacheDir
  workspace.env['HOME'] = join(workspace.root, '..')
  const added = await workspace.run(['add', 'memory', 'tavily', 'absent'], { timeoutMs: INSTALL_MS })
  expect(added).toMatchObject({ exit: 0 })
}, INSTALL_MS)
afterAll(async () => {
  await workspace.remove()
  await registry.stop()
  await rm(cacheDir, { recursive: true })
})

const json = async (...argv: string[]) => {
  const { exit, stdout } = await workspace.run([...argv, '--json'])
  return { exit, body: JSON.parse(stdout) as Record<string, unknown> }
}

describe('a server of the registry that is locked', () => {
  it('is shown by pml mcp get, by its word or its name, without a start', async () => {
    for (const word of ['memory', 'pml.mcp.memory.server'])
      expect(await json('mcp', 'get', word)).toMatchObject({
        exit: 0,
        body: {
          name: 'memory',
          scope: 'registry',
          transport: 'stdio',
          status: 'offline',
          tools: expect.arrayContaining(['read_graph']),
        },
      })
  })

  it('is started and compared by pml mcp test', async () => {
    const { exit, body } = await json('mcp', 'test', 'memory')
    expect([exit, body]).toEqual([
      0,
      expect.objectContaining({ server: 'memory', status: 'ready', lock: 'same', missing: [] }),
    ])
    expect(body['tools']).toContain('read_graph')
  })

  it('is in pml mcp list with its status, or what it needs', async () => {
    const { body } = await json('mcp', 'list')
    expect(body['servers']).toMatchObject([
      { name: 'absent', status: 'offline', reason: expect.stringContaining('no-such-program-at-all') },
      { name: 'memory', status: 'ready', scope: 'registry', tools: expect.arrayContaining(['read_graph']) },
      { name: 'tavily', status: 'offline', reason: expect.stringContaining('TAVILY_API_KEY') },
    ])
  })

  it('that does not exist is named with the nearest name', async () => {
    for (const verb of ['get', 'test'])
      expect((await json('mcp', verb, 'memroy')).body).toMatchObject({
        error: 'unknown_server',
        message: expect.stringContaining("did you mean 'memory'?"),
      })
  })
})

describe('pml mcp list --watch', () => {
  it('follows files that come later, and ends quietly', async () => {
    const child = spawn(process.execPath, [bin, 'mcp', 'list', '--watch'], {
      cwd: workspace.root,
      env: workspace.env,
    })
    const lines: string[] = []
    const reading = createInterface(child.stderr).on('line', (line) => lines.push(line))
    const told = async (words: RegExp) => {
      while (!lines.some((line) => words.test(line))) await once(reading, 'line')
    }
    await told(/^memory +ready /)
    const file = join(workspace.root, '.pml', 'mcp', 'later.json')
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(file, JSON.stringify({ command: process.execPath, args: ['-e', ''] }))
    await told(/^later +offline/)
    await rm(file)
    await told(/^later +is gone/)
    child.kill('SIGINT')
    const [code] = (await once(child, 'exit')) as [number]
    expect([code, lines.filter((line) => /Cannot|interrupted/.test(line))]).toEqual([0, []])
  }, 60_000)

  it.runIf(hasTerminal)(
    'repaints the table in its place on a terminal',
    async () => {
      const words = `exec '${process.execPath}' '${bin}' mcp list --watch`
      const child = spawn('script', ['--quiet', '--return', '--command', words, '/dev/null'], {
        cwd: workspace.root,
        env: { ...workspace.env, TERM: 'xterm' },
      })
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (shown: string) => (text += shown))
      while (!/memory +ready/.test(text)) await once(child.stdout, 'data')
      child.stdin.write('\u{3}')
      const [code] = (await once(child, 'close')) as [number]
      expect(code).toBe(0)
      // Up over what was painted, and clear it.
      expect(text.split('\u{1b}[J').length).toBeGreaterThan(2)
      expect(text).not.toContain('Cannot finish')
    },
    60_000,
  )
})

describe('pml catalog show', () => {
  it('shows what a server runs, needs and keeps, and its tools with their arguments', async () => {
    const { exit, body } = await json('catalog', 'show', 'memory')
    expect(exit).toBe(0)
    expect(body).toMatchObject({
      type: 'stdio',
      locked: true,
      runs: expect.stringMatching(/^node .*@modelcontextprotocol\/server-memory \S+, pinned$/),
      needs: [],
      keepsDataIn: '.pml/state/memory',
    })
    const tools = body['tools'] as { name: string; arguments: object[] }[]
    expect(tools.find(({ name }) => name === 'create_entities')).toMatchObject({
      description: expect.stringMatching(/./),
      arguments: [{ name: 'entities', type: 'array', required: true }],
    })
    const { stdout } = await workspace.run(['catalog', 'show', 'memory'])
    for (const words of [
      /runs +node /,
      /data +\.pml\/state\/memory/,
      /create_entities/,
      /entities <array> +\(required\)/,
    ])
      expect(stdout).toMatch(words)
  })

  it('says which variables are needed, and locks nothing', async () => {
    const other = await makeWorkspace(registry.url)
    try {
      const { stdout } = await other.run(['catalog', 'show', 'tavily', '--json'])
      expect(JSON.parse(stdout)).toMatchObject({
        locked: false,
        needs: [{ variable: 'TAVILY_API_KEY', isSet: false }],
      })
      expect(await other.readLock()).toBeUndefined()
      const module = await other.run(['catalog', 'show', 'acme.tools.text.shout', '--json'])
      expect(JSON.parse(module.stdout)).toMatchObject({ type: 'deno', runs: 'its code, in Deno', tools: [] })
    } finally {
      await other.remove()
    }
  })
})

describe('a name', () => {
  it('may be the bare word of a server wherever one is taken', async () => {
    for (const argv of [
      ['fetch', 'memory'],
      ['add', 'memory'],
      ['update', 'memory'],
      ['lock', 'why', 'memory'],
      ['catalog', 'get', 'memory'],
      ['mcp', 'show', 'memory'],
    ])
      expect([argv, (await json(...argv)).exit]).toEqual([argv, 0])
    expect(await json('run', 'memory')).toMatchObject({
      exit: 2,
      body: { message: expect.stringContaining('"pml catalog show memory" lists them') },
    })
  })

  it.each([
    [['add', 'memroy'], "did you mean 'memory'?"],
    [['fetch', 'memroy'], "did you mean 'memory'?"],
    [['catalog', 'show', 'memroy'], "did you mean 'memory'?"],
    [['fetch', 'acme.tools.text.shuot'], "did you mean 'acme.tools.text.shout'?"],
    [['run', 'memory:graph'], '"pml catalog show memory" lists its tools'],
    [['remove', 'memroy'], "did you mean 'memory'?"],
    [['lock', 'why', 'memroy'], "did you mean 'memory'?"],
    [['run', 'memory:read_grpah'], "did you mean 'memory:read_graph'?"],
    [['run', 'memroy:read_graph'], "did you mean 'memory:read_graph'?"],
    [['ad', 'memory'], "did you mean 'add'?"],
    [['mcp', 'lst'], "did you mean 'mcp list'?"],
  ])('or a mistyped command is answered with the nearest name: %j', async (argv, hint) => {
    const { exit, stderr } = await workspace.run(argv)
    expect([exit === 0, stderr]).toEqual([false, expect.stringContaining(hint)])
  })
})

describe('a result that is an error', () => {
  it('is not exit 0', async () => {
    const argv = ['run', 'memory:open_nodes', '--input', '{"names":"no list"}']
    const { exit, stderr } = await workspace.run(argv)
    expect([exit, stderr]).toEqual([1, expect.stringContaining('Cannot finish memory:open_nodes')])
    const { exit: code, body } = await json(...argv)
    expect([code, body]).toEqual([1, expect.objectContaining({ error: 'tool_failed' })])
  })
})
