import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serverDir } from '../test/paths.ts'
import { startRegistry, type TestRegistry } from '../test/registry.ts'

let registry: TestRegistry
let admin: { Authorization: string }

beforeAll(async () => {
  registry = await startRegistry()
  admin = await registry.key('admin')
})
afterAll(() => registry.stop())

async function call(name: string, args: unknown, headers: Record<string, string> = admin) {
  const response = await registry.fetch(`/tools/${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof args === 'string' ? args : JSON.stringify(args),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const code = 'export default async () => 1\n'

describe('GET /tools', () => {
  const names = async (headers: Record<string, string>) => {
    const { tools } = (await (await registry.fetch('/tools', { headers })).json()) as {
      tools: { name: string; scope?: string }[]
    }
    return tools.map(({ name }) => name)
  }

  it('shows an admin every tool, sorted by name', async () => {
    expect(await names(admin)).toEqual([
      'approval_block',
      'approval_list',
      'approval_show',
      'approval_spend',
      'audit_flags',
      'audit_head',
      'audit_key',
      'audit_report',
      'audit_search',
      'audit_verify',
      'blob_get',
      'catalog_get',
      'catalog_list',
      'catalog_publish',
      'catalog_retire',
      'catalog_search',
      'catalog_show',
      'key_create',
      'key_list',
      'key_revoke',
      'key_rotate',
      'pattern_list',
      'pattern_remove',
      'pattern_suggest',
      'registry_add_pattern',
      'registry_approve_change',
      'registry_check_approval',
      'registry_export',
      'registry_import',
      'registry_reject_change',
      'registry_status',
    ])
  })

  it('shows others only what they may use', async () => {
    const anyone = [
      'audit_key',
      'blob_get',
      'catalog_get',
      'catalog_list',
      'catalog_search',
      'catalog_show',
      'registry_status',
    ]
    expect(await names({})).toEqual(anyone)
    const reviewed = ['approval_list', 'approval_show', 'pattern_list', 'registry_check_approval']
    expect(await names(await registry.key('hook'))).toEqual(
      [...anyone, ...reviewed, 'approval_block', 'approval_spend'].sort(),
    )
    expect(await names(await registry.key('publish:acme.*'))).toEqual(
      [...anyone, 'catalog_publish', 'catalog_retire'].sort(),
    )
    expect(await names(await registry.key('pattern'))).toEqual(
      [...anyone, 'pattern_list', 'pattern_remove', 'registry_add_pattern'].sort(),
    )
    const audit = ['audit_flags', 'audit_head', 'audit_report', 'audit_search', 'audit_verify']
    const decided = [
      'pattern_suggest',
      'registry_approve_change',
      'registry_export',
      'registry_reject_change',
    ]
    expect(await names(await registry.key('approve'))).toEqual(
      [...anyone, ...reviewed, ...audit, ...decided].sort(),
    )
  })

  it('returns the same bytes each time, with schemas, annotations and scope', async () => {
    const read = async () => (await registry.fetch('/tools', { headers: admin })).text()
    const text = await read()
    expect(await read()).toBe(text)
    const { tools } = JSON.parse(text) as { tools: Record<string, unknown>[] }
    expect(tools.find(({ name }) => name === 'catalog_retire')).toMatchObject({
      scope: 'publish',
      annotations: { readOnlyHint: false, destructiveHint: true },
      inputSchema: { type: 'object', required: ['name'], additionalProperties: false },
      outputSchema: { type: 'object' },
    })
  })
})

describe('the registry’s verbs as tools', () => {
  it('publish, get, show, list, search, retire, and find again by integrity', async () => {
    const name = 'acme.tools.text.shout'
    const published = await call('catalog_publish', { name, content: code, description: 'Shouts at walls' })
    expect(published).toMatchObject({ status: 200, body: { name, created: true } })
    const { fqdn, integrity } = published.body as { fqdn: string; integrity: string }
    expect((await call('catalog_get', { name }, {})).body).toEqual({
      fqdn,
      type: 'deno',
      routing: 'client',
      visibility: 'public',
      integrity,
      mediaType: 'application/typescript; charset=utf-8',
      content: code,
    })
    expect((await call('catalog_show', { name: fqdn }, {})).body).toMatchObject({
      fqdn,
      description: 'Shouts at walls',
    })
    const items = [{ fqdn, type: 'deno', routing: 'client', description: 'Shouts at walls' }]
    expect((await call('catalog_search', { query: 'walls shout' }, {})).body).toEqual({
      items,
      total: 1,
      totalIsExact: true,
    })
    expect((await call('catalog_list', { tool: 'text:shout' }, {})).body).toMatchObject({ items, total: 1 })
    expect((await call('catalog_retire', { name })).body).toEqual({ name, retired: true })
    expect(await call('catalog_get', { name }, {})).toMatchObject({ status: 410, body: { error: 'gone' } })
    expect((await call('blob_get', { integrity }, {})).body).toMatchObject({ content: code })
  })

  it('return the current release, however often the previous one was read', async () => {
    const name = 'acme.tools.text.often'
    for (const content of [code, `${code}// now\n`, `${code}// later\n`]) {
      await call('catalog_publish', { name, content })
      for (let read = 0; read < 200; read++)
        expect((await call('catalog_get', { name }, {})).body['content']).toBe(content)
    }
  })

  it('publish a document passed as a string', async () => {
    const document = { type: 'http', description: 'Weather', proxyTo: 'https://weather.example/mcp' }
    const name = 'acme.tools.weather.server'
    const args = { name, kind: 'document', content: JSON.stringify(document) }
    expect(await call('catalog_publish', args)).toMatchObject({ status: 200, body: { created: true } })
    const { body } = await call('catalog_get', { name }, {})
    expect(JSON.parse(body['content'] as string)).toMatchObject({ proxyTo: document.proxyTo })
    expect(await call('catalog_publish', { ...args, content: '{' })).toMatchObject({ status: 400 })
  })

  it('page through the whole registry by cursor', async () => {
    for (const index of [1, 2, 3])
      await call('catalog_publish', { name: `acme.paged.ns.tool_${index}`, content: `${code}// ${index}\n` })
    const seen: string[] = []
    let cursor: unknown
    do {
      const { body } = await call(
        'catalog_list',
        { limit: 2, ...(cursor === undefined ? {} : { cursor }) },
        {},
      )
      seen.push(...(body['items'] as { fqdn: string }[]).map(({ fqdn }) => fqdn))
      cursor = body['nextCursor']
    } while (cursor !== undefined)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((fqdn) => fqdn.startsWith('acme.paged.'))).toHaveLength(3)
  })

  it('create, list, rotate and revoke keys', async () => {
    const { body: created } = await call('key_create', { name: 'ci', scopes: ['publish:acme.*'] })
    const id = created['id'] as string
    const headers = { Authorization: `Bearer ${String(created['key'])}` }
    expect((await call('catalog_publish', { name: 'acme.a.b.c', content: code }, headers)).status).toBe(200)
    const { body: rotated } = await call('key_rotate', { id })
    expect(rotated['key']).not.toBe(created['key'])
    expect((await call('catalog_publish', { name: 'acme.a.b.c', content: code }, headers)).status).toBe(401)
    expect((await call('key_revoke', { id })).body).toEqual({ id, revoked: true })
    const { keys } = (await call('key_list', {})).body as { keys: Record<string, unknown>[] }
    expect(keys.find((key) => key['id'] === id)).toMatchObject({ name: 'ci', revokedAt: expect.any(String) })
  })

  it('report the status of the registry, even without a request body', async () => {
    const response = await registry.fetch('/tools/registry_status', { method: 'POST' })
    expect([response.status, await response.json()]).toMatchObject([200, { status: 'ready' }])
  })

  it('hide private entries from others', async () => {
    const name = 'acme.secret.ns.tool'
    await call('catalog_publish', { name, content: code, visibility: 'private' })
    expect(await call('catalog_get', { name }, {})).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
    expect((await call('catalog_search', { query: 'secret' }, {})).body).toMatchObject({ total: 0 })
    expect((await call('catalog_get', { name }, await registry.key('read:acme'))).status).toBe(200)
  })
})

describe('POST /tools/<name> refuses', () => {
  it.each([
    ['catalog_publish', { name: 'acme.a.b.c', content: code }, 'publish:<pattern>'],
    ['catalog_retire', { name: 'acme.a.b.c' }, 'publish:<pattern>'],
    ['key_create', { name: 'x', scopes: ['admin'] }, 'admin'],
    ['key_list', {}, 'admin'],
    ['key_rotate', { id: 'abc' }, 'admin'],
    ['key_revoke', { id: 'abc' }, 'admin'],
    ['audit_report', {}, 'approve'],
    ['audit_flags', { days: 7 }, 'approve'],
    ['pattern_suggest', {}, 'approve'],
  ])('%s without a key, and with a key that lacks its scope', async (name, args, scope) => {
    expect(await call(name, args, {})).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(await call(name, args, await registry.key('hook'))).toMatchObject({
      status: 403,
      body: { error: 'forbidden', scope },
    })
  })

  it('catalog_publish outside the scope of the key', async () => {
    const headers = await registry.key('publish:other.*')
    const answer = await call('catalog_publish', { name: 'acme.a.b.c', content: code }, headers)
    expect(answer).toMatchObject({ status: 403, body: { scope: 'publish:acme.a.*' } })
  })

  it.each([
    ['catalog_get', {}, ['name'], 'it is required: expected string, got nothing'],
    ['catalog_get', { name: 7 }, ['name'], 'expected string, received number'],
    ['catalog_get', { name: ['x'] }, ['name'], 'expected string, received array'],
    ['catalog_get', { name: 'a.b.c.d', nmae: 1 }, ['nmae'], 'there is no such parameter'],
    ['catalog_get', '{"name": "a.b.c.d", "__proto__": {}}', ['__proto__'], 'there is no such parameter'],
    [
      'catalog_get',
      { name: 'x'.repeat(401) },
      ['name'],
      'Too big: expected string to have <=400 characters, got 401 characters',
    ],
    ['catalog_list', { limit: 101 }, ['limit'], 'Too big: expected number to be <=100, got 101'],
    ['catalog_list', { limit: 1.5 }, ['limit'], 'expected int, received number'],
    [
      'catalog_list',
      { type: 'demo' },
      ['type'],
      'Invalid option: expected one of "deno"|"stdio"|"http", got "demo"',
    ],
    ['key_create', { name: 'x', scopes: 'admin' }, ['scopes'], 'expected array, received string'],
    ['catalog_get', [], [], 'expected object, received array'],
    ['catalog_get', 'null', [], 'expected object, received null'],
  ])('%s with %j', async (name, args, path, message) => {
    const { status, body } = await call(name, args)
    expect([status, body['error'], body['issues']]).toEqual([422, 'invalid_arguments', [{ path, message }]])
  })

  it('a call without any of several alternative parameters, and names them', async () => {
    const { status, body } = await call('registry_check_approval', {})
    const issues = [{ path: ['content_hash'], message: 'expected content_hash or content' }]
    expect([status, body]).toEqual([422, expect.objectContaining({ error: 'invalid_arguments', issues })])
  })

  it('an unknown tool, and suggests a similar name', async () => {
    const answer = await call('catalog_gte', {})
    expect(answer).toMatchObject({
      status: 404,
      body: { error: 'unknown_tool', message: "There is no tool 'catalog_gte'; did you mean 'catalog_get'?" },
    })
  })

  it('a body that is not JSON, has another content type, or is over 4 MiB', async () => {
    expect(await call('catalog_get', '{')).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
    expect(await call('catalog_get', '{"name":"a","name":"b"}')).toMatchObject({ status: 400 })
    expect((await call('catalog_get', 'name=x', { 'Content-Type': 'text/plain' })).status).toBe(415)
    const large = await call('catalog_publish', { name: 'acme.a.b.c', content: 'x'.repeat(5 * 1024 * 1024) })
    expect(large).toMatchObject({ status: 413, body: { error: 'too_large' } })
  })

  it('catalog_publish of a module over the limit', async () => {
    const content = `// ${'x'.repeat(1024 * 1024)}\n`
    expect(await call('catalog_publish', { name: 'acme.a.b.c', content })).toMatchObject({
      status: 413,
      body: { error: 'too_large', limit: 1024 * 1024 },
    })
  })

  it('GET, and names the expected method', async () => {
    const response = await registry.fetch('/tools/catalog_get')
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
  })
})

describe('a folder of tools', () => {
  const probe = (name: string, run: string, more = '') => `
    import { defineTool } from '@pml/tools'
    import { z } from 'zod'
    export default defineTool({
      name: '${name}', effect: 'read', description: 'Probes.', ${more}
      input: z.object({}), output: z.object({ text: z.string() }),
      run: async (${run},
    })`
  let folder: string
  let probed: TestRegistry

  beforeAll(async () => {
    folder = await mkdtemp(join(serverDir, 'test', 'tools-'))
    const files = {
      'probe-throws.ts': probe('probe_throws', `) => { throw new Error('secret hunter2 in here') }`),
      'probe-lies.ts': probe('probe_lies', `) => ({ text: 7 })`),
      'probe-hangs.ts': probe('probe_hangs', `{ limit }) => new Promise(() => {})`, 'timeoutMs: 50,'),
      'probe-waits.ts': probe(
        'probe_waits',
        `{ limit }) => new Promise(() => {
          limit.signal.addEventListener('abort', () => globalThis.probe.emit('left', limit.signal.reason.code))
          globalThis.probe.emit('began')
        })`,
      ),
      'probe-off.ts': probe('probe_off', `) => ({ text: 'on' })`),
      'probe-bad.ts': probe('probebad', `) => ({ text: '' })`),
      'probe-breaks.ts': 'throw new Error("boom")',
      'shared.ts': 'export const shared = 1',
      'probe-again.ts': probe('probe_off', `) => ({ text: 'twice' })`),
    }
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
    probed = await startRegistry({ toolsDir: folder, disabledTools: ['probe_off'] })
  })
  afterAll(async () => {
    await probed.stop()
    await rm(folder, { recursive: true })
  })

  const ask = async (name: string) => {
    const response = await probed.fetch(`/tools/${name}`, { method: 'POST' })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  it('skips and logs invalid and duplicate tools', async () => {
    const { tools } = (await (await probed.fetch('/tools')).json()) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual([
      'probe_hangs',
      'probe_lies',
      'probe_throws',
      'probe_waits',
    ])
    const told = probed.log.filter((line) => line.includes('skipped an invalid tool'))
    expect(told.join('')).toMatch(/MissingCliCategory.*probebad/)
    expect(told.join('')).toMatch(/NameConflict.*probe_off/)
    expect(told.join('')).toMatch(/LoadFailure.*probe-breaks.ts.*boom/)
    expect(told.join('')).toMatch(/LoadFailure.*shared.ts/)
  })

  it('hides a disabled tool', async () => {
    expect(await ask('probe_off')).toMatchObject({ status: 404, body: { error: 'unknown_tool' } })
  })

  it('hides the error of a tool that throws', async () => {
    const { status, body } = await ask('probe_throws')
    expect([status, body['error']]).toEqual([500, 'internal_error'])
    expect(JSON.stringify(body)).not.toContain('hunter2')
    expect(
      probed.log.some((line) => line.includes('hunter2') && line.includes(String(body['requestId']))),
    ).toBe(true)
  })

  it('refuses an output that does not match its schema', async () => {
    expect(await ask('probe_lies')).toMatchObject({ status: 500, body: { error: 'internal_error' } })
  })

  it('times out a tool that never returns', async () => {
    expect(await ask('probe_hangs')).toMatchObject({ status: 504, body: { error: 'tool_timeout' } })
  })

  it.each(['application/json', 'application/json; charset=utf-8'])(
    'stops a tool whose client disconnected, sent as %s',
    async (type) => {
      const events = new EventEmitter()
      Object.assign(globalThis, { probe: events })
      const leave = new AbortController()
      const began = once(events, 'began')
      const left = once(events, 'left')
      const called = probed.fetch('/tools/probe_waits', {
        method: 'POST',
        headers: { 'Content-Type': type },
        body: '{}',
        signal: leave.signal,
      })
      await began
      leave.abort()
      await expect(called).rejects.toThrow('aborted')
      expect(await left).toEqual(['cancelled'])
    },
  )

  it.each([[['catalog_get', 'catalog_get']], [['mcp_get']], [['mcp_get', 'catalog_get']]])(
    'disables a tool by any of its names, or by both: %j',
    async (disabledTools) => {
      const without = await startRegistry({ disabledTools })
      for (const name of ['catalog_get', 'mcp_get'])
        expect((await without.fetch(`/tools/${name}`, { method: 'POST' })).status).toBe(404)
      await without.stop()
    },
  )

  it('does not start with an unknown name among the disabled tools', async () => {
    await expect(startRegistry({ disabledTools: ['catalog_gte'] })).rejects.toThrow(
      "Cannot use PML_DISABLED_TOOLS: There is no tool 'catalog_gte'; did you mean 'catalog_get'?",
    )
  })
})

describe('a call with Content-Type application/json', () => {
  it.each([
    ['catalog_search', '{"query":"é wäll"}'],
    ['registry_status', '{}'],
    ['catalog_get', '{"name":"acme.not.there.x"}'],
    ['catalog_get', '{"nmae":1}'],
    ['catalog_get', '{'],
    ['catalog_gte', '{}'],
  ])('gets the same response as one with a charset: %s %s', async (name, body) => {
    const [direct, routed] = await Promise.all(
      ['application/json', 'application/json; charset=utf-8'].map(async (type) => {
        const headers = { 'Content-Type': type, 'X-Request-Id': 'same' }
        const response = await registry.fetch(`/tools/${name}`, { method: 'POST', headers, body })
        const { date: _date, ...fields } = Object.fromEntries(response.headers)
        return { status: response.status, fields, body: await response.text() }
      }),
    )
    expect(direct).toEqual(routed)
  })
})

describe('calls are counted', () => {
  it.each(['application/json', 'application/json; charset=utf-8'])(
    'by address when they lack a key, sent as %s',
    async (type) => {
      const counting = await startRegistry()
      const ask = (name: string) =>
        counting.fetch(`/tools/${name}`, { method: 'POST', headers: { 'Content-Type': type }, body: '{}' })
      const statuses = await Promise.all(
        Array.from({ length: 70 }, async () => (await ask('key_list')).status),
      )
      expect([...new Set(statuses)].toSorted()).toEqual([401, 429])
      expect((await ask('registry_status')).status).toBe(200)
      await counting.stop()
    },
  )

  it('by key when they write, and by address when they read and reads are limited', async () => {
    const counting = await startRegistry({ writesPerMinute: 3, readsPerMinute: 3 })
    const headers = { 'Content-Type': 'application/json', ...(await counting.key('admin')) }
    const ask = async (name: string, args: object) => {
      const body = JSON.stringify(args)
      return (await counting.fetch(`/tools/${name}`, { method: 'POST', headers, body })).status
    }
    for (const [name, args] of [
      ['key_create', { name: 'k', scopes: ['hook'] }],
      ['registry_status', {}],
    ] as const) {
      const statuses = [
        await ask(name, args),
        await ask(name, args),
        await ask(name, args),
        await ask(name, args),
      ]
      expect(statuses).toEqual([200, 200, 200, 429])
    }
    await counting.stop()
  })
})

it.each([
  ['with a JSON type and no length', { 'Content-Type': 'application/json' }],
  ['with a key', { 'Content-Type': 'application/json', key: 'admin' }],
  ['with neither', {}],
])('treats an empty body as no arguments, %s', async (_what, { key, ...headers }: Record<string, string>) => {
  const response = await registry.fetch('/tools/registry_status', {
    method: 'POST',
    headers: { ...headers, ...(key && admin) },
  })
  expect(response.status).toBe(200)
})

it.each(['/tools/catalog_get', '/mcp'])(
  'does not log a client that disconnects as an error: %s',
  async (path) => {
    const { hostname, port } = new URL(registry.url)
    for (const extra of ['', `Authorization: ${admin.Authorization}\r\n`]) {
      const socket = connect(Number(port), hostname)
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n`
      await new Promise((done) => socket.write(`${head}${extra}\r\n{"na`, done))
      socket.destroy()
    }
    await registry.fetch('/healthz')
    expect(registry.log.filter((line) => /database does not answer|unexpectedly/.test(line))).toEqual([])
  },
)

it('keeps database details about values out of the log', async () => {
  await call('key_create', '{"name":"a\\ud800b-9e2","scopes":["hook"]}')
  expect(registry.log.join('\n')).not.toContain('9e2')
})

it('never writes arguments or outputs into the log', async () => {
  const { body } = await call('key_create', { name: 'whisper-7c1', scopes: ['hook'] })
  await call('key_create', { name: 'whisper-7c1', scopes: ['nonsense-7c1'] })
  const log = registry.log.join('\n')
  expect([log.includes('7c1'), log.includes(String(body['key']))]).toEqual([false, false])
})

it('describes every tool as the .md file beside it does', async () => {
  const { tools } = (await (await registry.fetch('/tools', { headers: admin })).json()) as {
    tools: { name: string; description: string }[]
  }
  for (const { name, description } of tools) {
    const file = join(serverDir, 'src', 'tools', `${name.replaceAll('_', '-')}.md`)
    expect((await readFile(file, 'utf8')).trim()).toBe(description)
  }
})
