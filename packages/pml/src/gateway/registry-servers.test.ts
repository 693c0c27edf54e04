import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startConfigured, type ConfiguredRegistry } from '../../test/configured-registry.ts'
import { listed, makeServedPlace, readLock, textIn, tool, type ServedPlace } from '../../test/served.ts'

const INSTALL_MS = 300_000

let registry: ConfiguredRegistry
let cacheDir: string
let place: ServedPlace

// Trees are installed once for all tests here.
beforeAll(async () => {
  cacheDir = await realpath(await mkdtemp(join(tmpdir(), 'pml-trees-')))
  registry = await startConfigured('everything', 'filesystem', 'memory', 'sequential-thinking')
}, INSTALL_MS)
afterAll(async () => {
  await registry.stop()
  await rm(cacheDir, { recursive: true, force: true })
})
beforeEach(async () => {
  place = await makeServedPlace()
  Object.assign(place.env, { PML_REGISTRY_URL: registry.url, PML_CACHE_DIR: cacheDir })
})
afterEach(() => place.remove())

const accept = (answer: string) => ({ action: 'accept' as const, content: { answer } })

describe('in the middle of a conversation', () => {
  it(
    'an agent finds a server, adds it after a yes, and uses its tools after another',
    async () => {
      const forms: string[] = []
      const served = await place.serve({
        answer: ({ message }) => {
          forms.push(message)
          return accept('once')
        },
      })
      const found = await served.client.callTool({ name: 'pml_search', arguments: { query: 'reference' } })
      expect(found.structuredContent).toMatchObject({
        entries: [{ reference: 'pml.mcp.everything.server', type: 'stdio' }],
      })
      const added = await served.client.callTool(
        { name: 'pml_add', arguments: { reference: 'pml.mcp.everything.server' } },
        { timeout: INSTALL_MS },
      )
      expect(JSON.parse(textIn(added))).toMatchObject({ type: 'stdio', rule: 'everything:*' })
      expect(forms[0]).toContain('Permission to add pml.mcp.everything.server')
      await listed(served, 'everything__echo')
      const { tools } = await served.client.listTools()
      expect(tools.find(({ name }) => name === 'everything__echo')).toMatchObject({
        inputSchema: { properties: { message: { type: 'string' } } },
      })
      const result = await served.client.callTool({ name: 'everything__echo', arguments: { message: 'hi' } })
      expect(textIn(result)).toBe('Echo: hi')
      expect(forms).toHaveLength(2)
      expect(await readLock(place.root)).toContain('pml.mcp.everything.server')
    },
    INSTALL_MS,
  )

  it('an agent finds servers of this machine that wait for a yes, and not those that are locked', async () => {
    await place.server('mine', [tool('echo')])
    expect((await place.run('mcp', 'test', 'mine')).exit).toBe(0)
    await place.write('project', 'theirs', { command: 'theirs', description: 'Of the project.' })
    const served = await place.serve()
    const found = await served.client.callTool({ name: 'pml_search', arguments: { query: 'nothing' } })
    expect(found.structuredContent).toEqual({
      entries: [],
      servers: [{ reference: 'theirs' }],
    })
  })

  it('a no adds nothing', async () => {
    const served = await place.serve({ answer: () => accept('no') })
    const refused = await served.client.callTool({
      name: 'pml_add',
      arguments: { reference: 'pml.mcp.memory.server' },
    })
    expect(refused.isError).toBe(true)
    await expect(readLock(place.root)).rejects.toThrow('ENOENT')
    await expect(readFile(join(place.root, '.pml.json'))).rejects.toThrow('ENOENT')
  })

  it.each([
    ['pml_add', {}],
    ['pml_add', { reference: '' }],
    ['pml_add', { reference: 'x', more: 1 }],
    ['pml_search', { query: 7 }],
  ])('%s refuses %j', async (name, args) => {
    const served = await place.serve()
    const result = await served.client.callTool({ name, arguments: args })
    expect(result).toMatchObject({ isError: true, _meta: { error: { error: 'invalid_arguments' } } })
  })

  it('a rule can forbid it', async () => {
    await place.config({ deny: ['pml:add'] })
    const served = await place.serve({ answer: () => accept('yes') })
    const result = await served.client.callTool({
      name: 'pml_add',
      arguments: { reference: 'pml.mcp.memory.server' },
    })
    expect(result).toMatchObject({ isError: true, _meta: { error: { error: 'tool_denied' } } })
  })
})

describe('a server that is locked', () => {
  it.each(['legacy', 'modern'] as const)(
    'is used beside the others by an agent of the %s era',
    async (era) => {
      const servers = ['everything', 'filesystem', 'memory', 'sequential-thinking']
      expect((await place.run('add', ...servers)).exit).toBe(0)
      const served = await place.serve({ era })
      const call = async (name: string, args: object) =>
        textIn(await served.client.callTool({ name, arguments: { ...args } }))
      expect(await call('everything__get-sum', { a: 2, b: 3 })).toContain('5')
      expect(await call('filesystem__list_directory', { path: '.' })).toContain('[FILE] .pml.json')
      expect(await call('memory__read_graph', {})).toContain('"entities"')
      const thought = { thought: 'x', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }
      expect(await call('sequential-thinking__sequentialthinking', thought)).toContain('"thoughtNumber": 1')
      const { tools } = await served.client.listTools()
      for (const server of servers)
        expect(tools.some(({ name }) => name.startsWith(`${server}__`))).toBe(true)
    },
    INSTALL_MS,
  )

  it(
    'is listed with its tools before it was started, and wins over a file of the same name',
    async () => {
      expect((await place.run('add', 'everything')).exit).toBe(0)
      await place.write('user', 'everything', { command: process.execPath, args: ['-e', 'process.exit(1)'] })
      const served = await place.serve()
      const names = await listed(served, 'everything__echo')
      expect(names).toContain('everything__get-sum')
      const result = await served.client.callTool({ name: 'everything__echo', arguments: { message: 'hi' } })
      expect(textIn(result)).toBe('Echo: hi')
      const { stdout } = await place.run('mcp', 'list', '--json')
      expect(JSON.parse(stdout)).toMatchObject({
        servers: [
          {
            name: 'everything',
            scope: 'user',
            status: 'offline',
            reason: expect.stringContaining('registry'),
          },
          { name: 'everything', scope: 'registry', status: 'ready' },
        ],
      })
    },
    INSTALL_MS,
  )
})
