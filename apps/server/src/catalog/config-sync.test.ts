import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { approve, block, callerWith } from '../../test/approvals.ts'
import { rootDir, stdDir } from '../../test/paths.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { mcpServer, toolSchema } from '../db/schema.ts'

let registry: TestRegistry
let serversFile: string
let routingFile: string

beforeEach(async () => {
  registry = await startRegistry()
  serversFile = join(registry.configDir, 'mcp-servers.json')
  routingFile = join(registry.configDir, 'mcp-routing.json')
})
afterEach(() => registry.stop())

const notes = {
  command: 'uvx',
  args: ['notes-mcp'],
  description: 'Keeps notes',
  env: { NOTES_KEY: '${NOTES_KEY}', NOTES_DIR: '', MODE: 'fast' },
}
const search = {
  url: 'https://search.example.org/mcp',
  description: 'Searches',
  env: { SEARCH_KEY: '${SEARCH_KEY}' },
}

const write = (servers: Record<string, unknown>) =>
  writeFile(serversFile, JSON.stringify({ mcpServers: servers }, null, 2))

async function read(server: string) {
  const response = await registry.fetch(`/mcp/pml.mcp.${server}.server`, { redirect: 'follow' })
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown> & { install: Record<string, unknown> },
  }
}

async function readiness() {
  const response = await registry.fetch('/readyz', { headers: await registry.key('admin') })
  return { code: response.status, ...((await response.json()) as { checks: { config: string } }) }
}

async function comes(server: string, status = 200): Promise<void> {
  await expect.poll(async () => (await read(server)).status, { timeout: 10_000 }).toBe(status)
}

async function configIs(text: string | RegExp): Promise<void> {
  await expect.poll(async () => (await readiness()).checks.config, { timeout: 10_000 }).toMatch(text)
}

describe('configured servers', () => {
  it('appear without a restart, stdio by command and http by url, with names but no values of variables', async () => {
    await write({ _comment: 'servers', notes, search })
    await comes('notes')
    expect((await read('notes')).body).toMatchObject({
      type: 'stdio',
      description: 'Keeps notes',
      routing: 'client',
      install: { command: 'uvx', args: ['notes-mcp'], envRequired: ['NOTES_DIR', 'NOTES_KEY'] },
      pinned: false,
      reason: expect.stringContaining('cannot be pinned'),
      tools: [],
    })
    expect((await read('search')).body).toMatchObject({
      type: 'http',
      proxyTo: 'https://search.example.org/mcp',
      envRequired: ['SEARCH_KEY'],
      tools: [],
    })
    expect(JSON.stringify((await read('notes')).body)).not.toContain('fast')
    const [row] = await registry.db.orm.select().from(mcpServer).where(eq(mcpServer.serverId, 'notes'))
    expect(row?.connectionInfo).toMatchObject({ command: 'uvx', env: { MODE: 'fast' } })
  })

  it('change with the file, keep their history, and are retired when they leave it', async () => {
    await write({ notes, search })
    await comes('search')
    const before = (await read('search')).body['fqdn']
    await write({ search: { ...search, url: 'https://elsewhere.example.org/mcp' } })
    await comes('notes', 410)
    expect((await read('search')).body['proxyTo']).toBe('https://elsewhere.example.org/mcp')
    const metadata = (await (await registry.fetch('/mcp/pml.mcp.search.server/metadata')).json()) as {
      history: { fqdn: string }[]
    }
    expect(metadata.history.map(({ fqdn }) => fqdn)).toEqual([before])
    await write({ notes, search })
    await comes('notes')
  })

  it('cannot be changed over HTTP', async () => {
    await write({ notes })
    await comes('notes')
    const admin = await registry.key('admin')
    const put = await registry.fetch('/mcp/pml.mcp.notes.server', {
      method: 'PUT',
      body: '{"type":"http","description":"x","proxyTo":"https://evil.example"}',
      headers: { ...admin, 'Content-Type': 'application/json' },
    })
    expect([put.status, await put.json()]).toMatchObject([
      409,
      { error: 'managed_by_config', message: expect.stringContaining('mcp-servers.json') },
    ])
    const deleted = await registry.fetch('/mcp/pml.mcp.notes.server', { method: 'DELETE', headers: admin })
    expect(deleted.status).toBe(409)
  })

  it('keep their last valid state when the file is invalid, half-written, a directory or missing', async () => {
    await write({ notes })
    await comes('notes')
    const good = await readFile(serversFile, 'utf8')
    await writeFile(serversFile, '{"mcpServers": {"broken": {"command": 5}}}')
    await configIs(/mcp-servers\.json:1:\d+.*broken/s)
    expect((await readiness()).code).toBe(503)
    await writeFile(serversFile, good.slice(0, good.length / 2))
    await configIs(/mcp-servers\.json:\d+:\d+/)
    await rm(serversFile)
    await mkdir(serversFile)
    await configIs(/directory/)
    expect((await read('notes')).status).toBe(200)
    expect((await registry.fetch('/healthz')).status).toBe(200)
    await rm(serversFile, { recursive: true })
    await configIs(/mcp-servers\.json.*missing/)
    expect((await read('notes')).status).toBe(200)
    await write({ search })
    await comes('notes', 410)
    await configIs(/^ok$/)
    expect(registry.log.join('')).toContain('the last valid one stays in effect')
  })

  it('refuse a literal secret, naming its file, line and key without quoting it', async () => {
    const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789'
    await writeFile(
      serversFile,
      `{"mcpServers": {\n  "notes": {\n    "command": "uvx",\n    "env": { "OPENAI_API_KEY": "${secret}" }\n  }\n}}`,
    )
    await configIs(/mcp-servers\.json:4:\d+: mcpServers\.notes\.env\.OPENAI_API_KEY/)
    expect((await readiness()).checks.config).not.toContain(secret)
    expect(registry.log.join('')).not.toContain(secret)
    expect((await read('notes')).status).toBe(404)
  })

  it('are reloaded when the file is replaced by a rename, as editors do', async () => {
    await write({ notes })
    await comes('notes')
    await writeFile(`${serversFile}.tmp`, JSON.stringify({ mcpServers: { search } }))
    await rename(`${serversFile}.tmp`, serversFile)
    await comes('search')
    await comes('notes', 410)
  })

  it('get a new release when the routing file changes their routing', async () => {
    await write({ search })
    await comes('search')
    const before = (await read('search')).body['integrity']
    await writeFile(routingFile, JSON.stringify({ server: ['search'] }))
    await expect.poll(async () => (await read('search')).body['routing'], { timeout: 10_000 }).toBe('server')
    expect((await read('search')).body['integrity']).not.toBe(before)
  })
})

describe('routing rules', () => {
  it('apply to published modules without a routing of their own', async () => {
    const headers = { ...(await registry.key('admin')), 'Content-Type': 'application/typescript' }
    await registry.fetch('/mcp/acme.route.web.follows', {
      method: 'PUT',
      body: 'export default 1\n',
      headers,
    })
    await registry.fetch('/mcp/acme.route.web.chose?routing=client', {
      method: 'PUT',
      body: 'export default 1\n',
      headers,
    })
    await writeFile(routingFile, JSON.stringify({ server: ['web'] }))
    const routing = async (name: string) =>
      (await registry.fetch(`/mcp/${name}`, { redirect: 'follow' })).headers.get('x-pml-routing')
    await expect.poll(() => routing('acme.route.web.follows'), { timeout: 10_000 }).toBe('server')
    expect(await routing('acme.route.web.chose')).toBe('client')
    await registry.fetch('/mcp/acme.route.web.later', { method: 'PUT', body: 'export default 1\n', headers })
    expect(await routing('acme.route.web.later')).toBe('server')
  })

  it('are refused with file and line when a pattern is invalid', async () => {
    await writeFile(routingFile, '{\n  "client": ["fs:re*d"]\n}')
    await configIs(/mcp-routing\.json:2:14.*fs:re\*d/)
  })
})

describe('pins', () => {
  const copyPin = async (change: (text: string) => string = (text) => text) => {
    await mkdir(join(registry.configDir, 'pins'), { recursive: true })
    const text = await readFile(join(rootDir, 'config/pins/memory.json'), 'utf8')
    await writeFile(join(registry.configDir, 'pins/memory.json'), change(text))
  }
  const memory = {
    command: 'npx',
    args: ['-y', '@modelcontextprotocol/server-memory'],
    description: 'Remembers',
  }

  it('are served in full: package, version, sha512, lock, bin, tools and their digest', async () => {
    await copyPin()
    await write({ memory })
    await comes('memory')
    const { body } = await read('memory')
    const install = body.install as { lock: { integrity: string; url: string }; package: string; bin: string }
    expect(body).toMatchObject({
      pinned: true,
      toolsDigest: expect.stringMatching(/^sha256-[0-9a-f]{64}$/),
      install: {
        package: '@modelcontextprotocol/server-memory',
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        integrity: expect.stringMatching(/^sha512-/),
        bin: expect.stringMatching(/^node_modules\/@modelcontextprotocol\/server-memory\//),
        lock: { integrity: expect.stringMatching(/^sha256-/), url: `/blobs/${install.lock.integrity}` },
      },
    })
    expect(body['tools']).toContain('memory:read_graph')
    const lock = (await (await registry.fetch(install.lock.url)).json()) as {
      lockfileVersion: number
      packages: Record<string, { integrity?: string }>
    }
    expect(lock.lockfileVersion).toBe(3)
    expect(lock.packages[`node_modules/${install.package}`]?.integrity).toMatch(/^sha512-/)
    const schemas = await registry.db.orm
      .select()
      .from(toolSchema)
      .where(eq(toolSchema.tool, 'memory:read_graph'))
    expect(schemas).toMatchObject([{ name: 'pml.mcp.memory.server', inputSchema: { type: 'object' } }])
    const { items } = (await (await registry.fetch('/mcp?tool=memory:read_graph')).json()) as {
      items: { fqdn: string }[]
    }
    expect(items[0]?.fqdn).toBe(body['fqdn'])
  })

  it('are optional: an entry without one gives the reason', async () => {
    await write({ memory })
    await comes('memory')
    expect((await read('memory')).body).toMatchObject({
      pinned: false,
      reason: expect.stringContaining('npm run pin -- memory'),
    })
    await copyPin()
    await expect.poll(async () => (await read('memory')).body['pinned'], { timeout: 10_000 }).toBe(true)
  })

  it('do not apply to a different package than the configured one', async () => {
    await copyPin()
    await write({ memory: { ...memory, args: ['-y', '@modelcontextprotocol/server-memory@1.0.0'] } })
    await comes('memory')
    expect((await read('memory')).body).toMatchObject({
      pinned: false,
      reason: expect.stringContaining('@1.0.0'),
    })
  })

  it('stay in force when their file, their folder or the whole configuration is removed', async () => {
    await copyPin()
    await write({ memory })
    await expect.poll(async () => (await read('memory')).body['pinned'], { timeout: 10_000 }).toBe(true)
    const before = (await read('memory')).body['integrity']
    for (const gone of ['pins/memory.json', 'pins', '']) {
      await rm(join(registry.configDir, gone), { recursive: true })
      await configIs(/memory\.json.*missing/)
      expect((await read('memory')).body).toMatchObject({ pinned: true, integrity: before })
    }
    await mkdir(registry.configDir)
    await copyPin()
    await write({ memory })
    await writeFile(join(registry.configDir, 'approvals.json'), '{}')
    await configIs(/^ok$/)
  })

  it('are dropped with their server, without a warning', async () => {
    await copyPin()
    await write({ memory, notes })
    await comes('memory')
    await rm(join(registry.configDir, 'pins'), { recursive: true })
    await write({ notes })
    await comes('memory', 410)
    await configIs(/^ok$/)
    await write({ memory, notes })
    await comes('memory')
    expect((await read('memory')).body['pinned']).toBe(false)
  })

  it('are refused when one byte of a digest in them is wrong', async () => {
    await copyPin()
    await write({ memory })
    await comes('memory')
    await copyPin((text) => text.replace(/"integrity": "sha512-./, '"integrity": "sha512-!'))
    await configIs(/memory\.json:\d+:\d+.*integrity/)
    expect((await read('memory')).body['pinned']).toBe(true)
  })
})

describe('approvals.json', () => {
  const strict = JSON.stringify({ other: { specialists: ['owner'] }, auditRetentionDays: 7 })

  /** The response to an approval by a specialist without a domain. */
  async function decide(at: TestRegistry, path: string, specialist = 'anybody') {
    const hook = await callerWith(at, ['hook'])
    const approver = await callerWith(at, ['approve'], specialist)
    const { status, body } = await approve(approver, (await block(hook, { path })).id)
    return body.error ?? status
  }

  it('stays in force after it is removed, even after a restart, until it is back', async () => {
    const file = join(registry.configDir, 'approvals.json')
    await writeFile(file, strict)
    await expect.poll(() => decide(registry, 'src/a.ts'), { timeout: 10_000 }).toBe('wrong_specialist')
    await rm(file)
    await configIs(/approvals\.json.*missing.*last good/)
    expect((await readiness()).code).toBe(503)
    expect(await decide(registry, 'src/a.ts')).toBe('wrong_specialist')
    expect(await decide(registry, 'src/a.ts', 'owner')).toBe(200)
    const { databaseUrl, configDir } = registry
    const restarted = await startRegistry({ databaseUrl, configDir })
    expect(await decide(restarted, 'src/a.ts')).toBe('wrong_specialist')
    expect((await restarted.fetch('/readyz')).status).toBe(503)
    await restarted.stop()
    await writeFile(file, '{}')
    await configIs(/^ok$/)
    expect(await decide(registry, 'src/a.ts')).toBe(200)
  })

  it('defaults to the built-in rules if it never existed, and the registry is not ready', async () => {
    const first = await startRegistry({ configFiles: { 'approvals.json': undefined } })
    const response = await first.fetch('/readyz', { headers: await first.key('admin') })
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringMatching(/approvals\.json.*missing.*built-in/),
    ])
    expect(await decide(first, '.env')).toBe('wrong_specialist')
    expect(await decide(first, '.env', 'security-specialist')).toBe(200)
    expect(await decide(first, 'db/migrations/1.sql', 'security-specialist')).toBe('wrong_specialist')
    expect(await decide(first, 'src/a.ts')).toBe(200)
    await first.stop()
  })
})

it('keeps the routing rules when their file is removed', async () => {
  await writeFile(routingFile, JSON.stringify({ server: ['search'] }))
  await write({ search })
  await expect.poll(async () => (await read('search')).body['routing'], { timeout: 10_000 }).toBe('server')
  await rm(routingFile)
  await configIs(/mcp-routing\.json.*missing/)
  expect((await read('search')).body['routing']).toBe('server')
})

it('reports an unreadable file, and keeps serving', async () => {
  await write({ notes })
  await comes('notes')
  await rm(serversFile)
  await symlink(serversFile, serversFile)
  await configIs(/mcp-servers\.json.*ELOOP/)
  expect((await read('notes')).status).toBe(200)
})

describe('MiniTools', () => {
  it('equal the files of packages/std byte for byte', async () => {
    const withStd = await startRegistry({ stdDir })
    const response = await withStd.fetch('/mcp/pml.std.filesystem.read_file', { redirect: 'follow' })
    expect(Buffer.from(await response.arrayBuffer())).toEqual(
      await readFile(join(stdDir, 'filesystem/read_file.ts')),
    )
    const { total } = (await (await withStd.fetch('/mcp?q=pml.std.')).json()) as { total: number }
    expect(total).toBeGreaterThanOrEqual(40)
    const schemas = await withStd.db.orm
      .select()
      .from(toolSchema)
      .where(eq(toolSchema.tool, 'filesystem:read_file'))
    expect(schemas).toMatchObject([{ permissions: { read: ['.'] }, inputSchema: { required: ['path'] } }])
    await withStd.stop()
  })

  it('are stored once: a second start with the same files changes nothing', async () => {
    const first = await startRegistry({ stdDir })
    const etag = async (registry: TestRegistry) =>
      (await registry.fetch('/mcp?limit=100')).headers.get('etag')
    const before = await etag(first)
    const events = async () =>
      (await first.db.sql`select count(*)::int as count from audit_event`)[0]?.['count']
    const count = await events()
    const second = await startRegistry({ stdDir, databaseUrl: first.databaseUrl })
    expect(await etag(second)).toBe(before)
    expect(await events()).toBe(count)
    await second.stop()
    await first.stop()
  })
})

describe('a path that is not a regular file', () => {
  const places = ['mcp-servers.json', 'enforcement.json', 'pins/notes.json']

  it.each(places)('is reported and does not block: config/%s', async (file) => {
    const path = join(registry.configDir, file)
    await mkdir(join(registry.configDir, 'pins'), { recursive: true })
    execFileSync('mkfifo', [path])
    await configIs('it is a named pipe; put a regular file there')
    await rm(path)
    await symlink('/dev/zero', path)
    await configIs('it is a device')
    await rm(path)
    await mkdir(path)
    await configIs('it is a directory')
    await rm(path, { recursive: true })
    const socket = createServer().listen(path)
    await configIs('it is not a regular file')
    socket.close()
    await configIs(/^ok$/)
  })

  it('does not block the shutdown', async () => {
    const held = await startRegistry()
    execFileSync('mkfifo', [join(held.configDir, 'mcp-servers.json')])
    await expect.poll(async () => (await held.fetch('/readyz')).status, { timeout: 10_000 }).toBe(503)
    const began = performance.now()
    await held.stop()
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})
