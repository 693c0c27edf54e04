import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { errorTable, type ErrorCode } from '@pml/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../apps/server/test/registry.ts'
import { rootDir } from '../apps/server/test/paths.ts'

interface Said {
  readonly output?: unknown
  /** The error code and the parameters that it names. */
  readonly error?: string | undefined
  readonly parameters?: unknown
}

type Args = Readonly<Record<string, unknown>>
type Surface = (name: string, args: Args, key: string | undefined) => Promise<Said>

const pml = `${rootDir}packages/pml/bin/pml.js`
const commandsFolder = `${rootDir}packages/pml/bundle/commands`
const revisions = { modern: { pin: '2026-07-28' }, legacy: 'legacy' } as const

let registry: TestRegistry
let admin: string
let hook: string

beforeAll(async () => {
  registry = await startRegistry()
  admin = await keyWith('admin')
  hook = await keyWith('hook')
  await overHttp(
    'catalog_publish',
    { name: 'acme.tools.text.shout', content: 'export default async () => "É"\n' },
    admin,
  )
})
afterAll(() => registry.stop())

async function keyWith(scope: string): Promise<string> {
  return (await registry.key(scope)).Authorization.replace('Bearer ', '')
}

function saidIn(body: Record<string, unknown>, isError: boolean): Said {
  if (!isError) return { output: body }
  const issues = (body['issues'] ?? []) as { path: unknown }[]
  return { error: String(body['error']), parameters: issues.map(({ path }) => path) }
}

const overHttp: Surface = async (name, args, key) => {
  const response = await registry.fetch(`/tools/${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key && { Authorization: `Bearer ${key}` }) },
    body: JSON.stringify(args),
  })
  return saidIn((await response.json()) as Record<string, unknown>, !response.ok)
}

async function connect(era: keyof typeof revisions, key: string | undefined): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: revisions[era] } })
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', registry.url), { requestInit: { headers } }),
  )
  return client
}

async function callBy(client: Client, name: string, args: Args): Promise<Said> {
  try {
    const { isError, structuredContent, _meta, content } = await client.callTool({
      name,
      arguments: { ...args },
    })
    if (isError) return saidIn((structuredContent ?? _meta?.['error']) as Record<string, unknown>, true)
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
    return { output: structuredContent }
  } catch (error) {
    const { data } = error as { data?: Record<string, unknown> }
    return saidIn(data ?? {}, true)
  } finally {
    await client.close()
  }
}

const overMcp =
  (era: keyof typeof revisions): Surface =>
  async (name, args, key) =>
    callBy(await connect(era, key), name, args)

const overStdio: Surface = async (name, args, key) => callBy(await connectOverStdio(key), name, args)

async function connectOverStdio(key: string | undefined): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  const env = { PATH: process.env['PATH'] ?? '', ...environment(key) }
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [pml, 'serve', '--registry'], env }),
  )
  return client
}

const overCommands: Surface = async (name, args, key) => {
  if (name === 'catalog_publish') return publishFile(args, key)
  const { category, command } = JSON.parse(await readFile(`${commandsFolder}/${name}.json`, 'utf8')) as {
    category: string
    command: string
  }
  const argv = [category, command, '--input', '-', '--json']
  const { stdout, exit } = await runPml(argv, { key, stdin: JSON.stringify(args) })
  const body = JSON.parse(stdout) as Record<string, unknown>
  const code = body['error'] as ErrorCode | undefined
  expect(exit).toBe(code === undefined ? 0 : errorTable[code].exit)
  return saidIn(body, code !== undefined)
}

/** The tool takes text, the command a file. */
async function publishFile({ name, content }: Args, key: string | undefined): Promise<Said> {
  const folder = await mkdtemp(join(tmpdir(), 'pml-publish-'))
  const file = join(folder, 'module.ts')
  await writeFile(file, String(content))
  const { stdout } = await runPml(['publish', String(name), file, '--json'], { key })
  await rm(folder, { recursive: true })
  const body = JSON.parse(stdout) as Record<string, unknown>
  return saidIn(body, body['error'] !== undefined)
}

function environment(key: string | undefined): Record<string, string> {
  return { PML_REGISTRY_URL: registry.url, ...(key && { PML_API_KEY: key }) }
}

function runPml(
  argv: string[],
  { key, stdin = '' }: { key?: string | undefined; stdin?: string },
): Promise<{ stdout: string; stderr: string; exit: number }> {
  return new Promise((done) => {
    const env = { PATH: process.env['PATH'] ?? '', ...environment(key) }
    const child = execFile(process.execPath, [pml, ...argv], { env }, (error, stdout, stderr) =>
      done({ stdout, stderr, exit: error ? Number(error.code) : 0 }),
    )
    child.stdin?.end(stdin)
  })
}

const surfaces: [string, Surface][] = [
  ['MCP 2026-07-28', overMcp('modern')],
  ['MCP of the older revisions', overMcp('legacy')],
  ['MCP over stdio', overStdio],
  ['commands', overCommands],
]

describe('the set of tools', () => {
  it('is the same over HTTP, MCP, stdio and the command line', async () => {
    const { tools } = (await (
      await registry.fetch('/tools', { headers: { Authorization: `Bearer ${admin}` } })
    ).json()) as { tools: { name: string; scope?: string }[] }
    const withoutScope = tools.map(({ scope: _scope, ...tool }) => tool)
    for (const era of ['modern', 'legacy'] as const) {
      const client = await connect(era, admin)
      expect((await client.listTools()).tools).toEqual(withoutScope)
      await client.close()
    }
    const client = await connectOverStdio(admin)
    expect((await client.listTools()).tools).toEqual(withoutScope)
    await client.close()
    const commands = JSON.parse(await readFile(`${commandsFolder}/index.json`, 'utf8')) as {
      name: string
      isOwn?: boolean
      movedTo?: string
    }[]
    const remote = commands.filter(({ isOwn, movedTo }) => isOwn !== true && movedTo === undefined)
    // Publishing has only one command, `pml publish`, which takes a file.
    const expected = tools.map(({ name }) => name).filter((name) => name !== 'catalog_publish')
    expect(remote.map(({ name }) => name)).toEqual(expected)
  })

  it('contains over MCP only the tools that the caller may use', async () => {
    const client = await connect('modern', undefined)
    const names = (await client.listTools()).tools.map(({ name }) => name)
    await client.close()
    expect(names).toEqual([
      'audit_key',
      'blob_get',
      'catalog_get',
      'catalog_list',
      'catalog_search',
      'catalog_show',
      'registry_status',
    ])
  })
})

describe.each(surfaces)('the same call over %s', (_surface, call) => {
  it.each<[string, Args, 'admin' | 'hook' | 'nobody']>([
    ['catalog_get', { name: 'acme.tools.text.shout' }, 'nobody'],
    ['catalog_list', { limit: 3 }, 'admin'],
    ['catalog_search', { query: 'shout', type: 'deno' }, 'nobody'],
    ['registry_status', {}, 'nobody'],
    [
      'catalog_publish',
      { name: 'acme.tools.text.shout', content: 'export default async () => "É"\n' },
      'admin',
    ],
    ['catalog_get', { name: 'acme.not.there.x' }, 'nobody'],
    ['catalog_get', { name: 'nonsense' }, 'nobody'],
    ['catalog_list', { limit: 1000 }, 'nobody'],
    ['catalog_list', { limit: 'many' }, 'nobody'],
    ['catalog_get', {}, 'nobody'],
    ['catalog_publish', { name: 'acme.a.b.c', content: 'import x from "y"' }, 'admin'],
    ['key_list', {}, 'nobody'],
    ['key_list', {}, 'hook'],
    ['key_revoke', { id: 'nosuchkey' }, 'admin'],
    ['audit_report', { days: 0 }, 'admin'],
    ['audit_flags', {}, 'hook'],
    ['pattern_suggest', {}, 'admin'],
  ])('of %s with %j as %s has the same result or error', async (name, args, who) => {
    const key = { admin, hook, nobody: undefined }[who]
    const expected = await overHttp(name, args, key)
    expect(await call(name, args, key)).toEqual(expected)
  })
})

describe('a command', () => {
  it('reports an unknown tool like the other surfaces', async () => {
    const http = await overHttp('catalog_gte', {}, undefined)
    const mcp = await overMcp('modern')('catalog_gte', {}, undefined)
    const { stdout, exit } = await runPml(['catalog', 'gte', '--json'], {})
    expect([http.error, mcp.error, (JSON.parse(stdout) as { error: string }).error, exit]).toEqual([
      'unknown_tool',
      'unknown_tool',
      'unknown_tool',
      2,
    ])
  })

  it('prints the report for a person, and as JSON on request', async () => {
    const { stdout, exit } = await runPml(['audit', 'report', '--days', '7'], { key: admin })
    expect([exit, stdout]).toEqual([
      0,
      expect.stringMatching(/^Approvals, .* \(7 days, UTC\)\n {2}0 blocked · /),
    ])
    const { stdout: json } = await runPml(['audit', 'report', '--json'], { key: admin })
    expect(JSON.parse(json)).toMatchObject({ totals: { blocked: 0 }, flags: [] })
  })

  it('publishes a file by its path', async () => {
    const argv = ['publish', 'acme.from.a.file', `${rootDir}packages/std/src/string/slugify.ts`]
    const { stdout, exit } = await runPml(argv, { key: admin })
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^fqdn +acme\.from\.a\.file\.[0-9a-f]{4}$/m)])
  })
})

describe('a former name of a tool', () => {
  const args = { name: 'acme.tools.text.shout' }

  it.each(['get', 'list', 'search', 'show', 'publish', 'retire'])('mcp_%s still answers', async (verb) => {
    const wrong = { nonsense: true }
    expect(await overHttp(`mcp_${verb}`, wrong, admin)).toEqual(
      await overHttp(`catalog_${verb}`, wrong, admin),
    )
  })

  it.each([
    ['mcp_show', args, [200, '@1794960000', '<catalog_show>; rel="successor-version"']],
    ['mcp_show', {}, [422, '@1794960000', '<catalog_show>; rel="successor-version"']],
    ['catalog_show', args, [200, null, null]],
  ])('is announced with the new name in HTTP headers: %s %j', async (name, body, expected) => {
    const { status, headers } = await registry.fetch(`/tools/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([status, headers.get('deprecation'), headers.get('link')]).toEqual(expected)
  })

  it.each(['modern', 'legacy'] as const)(
    'works over MCP (%s), with a notice of the new name',
    async (era) => {
      const client = await connect(era, undefined)
      const { content, structuredContent } = await client.callTool({ name: 'mcp_show', arguments: args })
      await client.close()
      expect(structuredContent).toEqual((await overHttp('catalog_show', args, undefined)).output)
      expect(content).toEqual([
        { type: 'text', text: JSON.stringify(structuredContent) },
        {
          type: 'text',
          text: "'mcp_show' is now called 'catalog_show'; the old name goes with the next release",
        },
      ])
    },
  )

  it('works as command words, with a notice of the new ones', async () => {
    const former = await runPml(['mcp', 'show', 'acme.tools.text.shout', '--json'], {})
    const current = await runPml(['catalog', 'history', 'acme.tools.text.shout', '--json'], {})
    expect([former.exit, former.stdout]).toEqual([0, current.stdout])
    expect(former.stderr).toBe("warning: 'pml mcp show' is now 'pml catalog history'\n")
    expect(current.stderr).toBe('')
  })

  it('is not listed', async () => {
    for (const argv of [
      ['help'],
      ['help', 'mcp'],
      ['mcp', '--help'],
      ['completions', 'bash'],
      ['help', '--json'],
    ]) {
      const { stdout } = await runPml(argv, {})
      expect(stdout).not.toMatch(
        /mcp_(?:search|show|retire)|mcp (?:search|show|retire)|^ +(?:search|retire) .*typos/m,
      )
    }
  })
})

describe('POST /mcp', () => {
  const withAndWithoutKey = (): Record<string, string>[] => [{}, { Authorization: `Bearer ${admin}` }]
  const post = (headers: Record<string, string>, body = '{}') =>
    registry.fetch('/mcp', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    })

  it('refuses pages of other origins', async () => {
    for (const path of ['/mcp', '/tools/registry_status']) {
      const response = await registry.fetch(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: 'https://evil.example' },
        body: '{}',
      })
      expect([response.status, await response.json()]).toMatchObject([403, { error: 'foreign_origin' }])
    }
    expect((await post({ Origin: 'http://localhost:9999' }, '[]')).status).toBe(400)
  })

  it('refuses an invalid key before MCP starts', async () => {
    const response = await post({ Authorization: 'Bearer pml_x_0123456789abcdef0123' })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="pml"'])
  })

  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"catalog_get","arguments":{"name":"a","name":"b"}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"catalog_get","arguments":{"name":"a\\ud800"}}}',
    `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'['.repeat(200)}${']'.repeat(200)}}`,
  ])('is as strict about JSON as HTTP: %#', async (body) => {
    for (const headers of withAndWithoutKey()) {
      const response = await post({ Accept: 'application/json, text/event-stream', ...headers }, body)
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('-32700')])
    }
  })

  it('forbids caching, with a key and without', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    for (const headers of withAndWithoutKey()) {
      const response = await post({ Accept: 'application/json, text/event-stream', ...headers }, body)
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    }
  })

  it('accepts at most 4 MiB', async () => {
    expect((await post({}, `{"x":"${'x'.repeat(5 * 1024 * 1024)}"}`)).status).toBe(413)
  })

  it('answers other requests as the specification says', async () => {
    const answers = await Promise.all(
      ['{', '[]', '{"jsonrpc":"2.0","id":1,"method":"tools/nothing"}'].map(async (body) => {
        const response = await post({ Accept: 'application/json, text/event-stream' }, body)
        return [response.status, /"code":(-\d+)/.exec(await response.text())?.[1]]
      }),
    )
    expect(answers).toMatchObject([
      [400, '-32700'],
      [400, '-32600'],
      [expect.any(Number), '-32601'],
    ])
  })

  it('works beside the catalog, and offers no event stream', async () => {
    const catalog = await registry.fetch('/mcp')
    const events = await registry.fetch('/mcp', { headers: { Accept: 'text/event-stream' } })
    expect([catalog.status, events.status, events.headers.get('allow')]).toEqual([200, 405, 'POST'])
  })
})
