import { createHash } from 'node:crypto'
import { parseName } from '@pml/core'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { auditEvent, toolSchema } from '../db/schema.ts'

const integrityOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('hex')}`
const TYPESCRIPT = 'application/typescript'

let registry: TestRegistry
let key: { Authorization: string }

beforeAll(async () => {
  registry = await startRegistry()
  key = await registry.key('publish:acme.*')
})
afterAll(() => registry.stop())

interface Options {
  readonly type?: string
  readonly auth?: Record<string, string>
  readonly headers?: Record<string, string>
}

function put(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  { type = TYPESCRIPT, auth = key, headers = {} }: Options = {},
) {
  return registry.fetch(`/mcp/${path}`, {
    method: 'PUT',
    body,
    headers: { 'Content-Type': type, ...auth, ...headers },
  })
}

async function metadata(name: string) {
  return (await (await registry.fetch(`/mcp/${name}/metadata`)).json()) as {
    fqdn: string
    integrity: string
    description: string
    routing: string
    visibility: string
    history: { fqdn: string; integrity: string }[]
  }
}

describe('publishing code', () => {
  it('returns 201 with its FQDN, and 200 when the same content is already current', async () => {
    const code = 'export default async () => 1\n'
    const first = await put('acme.pub.one.first', code)
    const fqdn = `acme.pub.one.first.${integrityOf(code).slice(7, 11)}`
    expect([first.status, first.headers.get('location'), first.headers.get('etag')]).toEqual([
      201,
      `/mcp/${fqdn}`,
      `"${integrityOf(code)}"`,
    ])
    expect(await first.json()).toEqual({
      name: 'acme.pub.one.first',
      fqdn,
      integrity: integrityOf(code),
      created: true,
    })
    const again = await put('acme.pub.one.first', code)
    expect([again.status, again.headers.get('location')]).toEqual([200, `/mcp/${fqdn}`])
    expect(await (await registry.fetch(`/mcp/${fqdn}`)).text()).toBe(code)
  })

  it('keeps an old release as a blob and in the history, and not under its old FQDN', async () => {
    const [a, b] = ['export default 1\n', 'export default 2\n']
    const { fqdn: old } = (await (await put('acme.pub.two.releases', a)).json()) as { fqdn: string }
    await put('acme.pub.two.releases', b)
    expect((await registry.fetch(`/mcp/${old}`)).status).toBe(404)
    expect(await (await registry.fetch(`/blobs/${integrityOf(a)}`)).text()).toBe(a)
    expect((await metadata('acme.pub.two.releases')).history).toMatchObject([
      { fqdn: old, integrity: integrityOf(a) },
    ])
  })

  it('republishes an old release under its old FQDN', async () => {
    const [a, b] = ['export default "a"\n', 'export default "b"\n']
    const { fqdn } = (await (await put('acme.pub.three.returns', a)).json()) as { fqdn: string }
    await put('acme.pub.three.returns', b)
    const back = await put('acme.pub.three.returns', a)
    expect([back.status, ((await back.json()) as { fqdn: string }).fqdn]).toEqual([201, fqdn])
    const { history } = await metadata('acme.pub.three.returns')
    expect(history.map(({ integrity }) => integrity)).toEqual([integrityOf(b), integrityOf(a)])
  })

  it('reads description, routing and visibility from the query or from headers', async () => {
    await put(
      'acme.pub.four.query?description=Caf%C3%A9&routing=server&visibility=private',
      'export default 1\n',
    )
    const auth = { headers: await registry.key('read:acme') }
    const byQuery = await (await registry.fetch('/mcp/acme.pub.four.query/metadata', auth)).json()
    expect(byQuery).toMatchObject({ description: 'Café', routing: 'server', visibility: 'private' })
    const headers = {
      'X-PML-Description': Buffer.from('Grüße').toString('latin1'),
      'X-PML-Routing': 'server',
    }
    await put('acme.pub.four.headers', 'export default 1\n', { headers })
    expect(await metadata('acme.pub.four.headers')).toMatchObject({
      description: 'Grüße',
      routing: 'server',
      visibility: 'public',
    })
  })

  it('changes the attributes of the same content without a new release', async () => {
    const code = 'export default "described"\n'
    await put('acme.pub.five.described', code)
    expect((await put('acme.pub.five.described?description=Better&routing=server', code)).status).toBe(200)
    expect(await metadata('acme.pub.five.described')).toMatchObject({
      description: 'Better',
      routing: 'server',
      history: [],
    })
    const read = await registry.fetch('/mcp/acme.pub.five.described', { redirect: 'follow' })
    expect(read.headers.get('x-pml-routing')).toBe('server')
  })

  it('reads description, schema and permissions out of the module without running it', async () => {
    const code = `
      export const description = 'Shouts'
      export const inputSchema = { type: 'object', properties: { 'text': { type: 'string', minLength: -1 } }, required: ['text'] } as const
      export const permissions = { read: ['.'] }
      export const computed = { now: Date.now() }
      export default async ({ text }: { text: string }) => text.toUpperCase()
      throw new Error('this module must never run here')\n`
    await put('acme.pub.six.shout', code)
    expect(await metadata('acme.pub.six.shout')).toMatchObject({ description: 'Shouts' })
    const [row] = await registry.db.orm
      .select()
      .from(toolSchema)
      .where(eq(toolSchema.name, parseName('acme.pub.six.shout')))
    expect(row).toMatchObject({
      tool: 'six:shout',
      description: 'Shouts',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', minLength: -1 } },
        required: ['text'],
      },
      permissions: { read: ['.'] },
    })
  })

  it('accepts node: imports in every form', async () => {
    const code = `import { readFile } from 'node:fs/promises'\nexport * from 'node:path'\nconst os = await import('node:os')\ntype U = import('node:url').URL\nexport default async () => [readFile, os] as (U | unknown)[]\n`
    expect((await put('acme.pub.six.imports', code)).status).toBe(201)
  })

  it.each([
    [`import x from 'npm:lodash'`, 1, 15],
    [`const a = 1\nimport type { X } from './x.ts'`, 2, 24],
    [`export { y } from 'https://example.org/y.ts'`, 1, 19],
    [`export * from "jsr:@std/fs"`, 1, 15],
    [`\n\nconst é = await import('fs')`, 3, 24],
    [`const name = 'x'\nawait import(name)`, 2, 14],
    [`type T = import('npm:x').T`, 1, 17],
    [`import fs = require('fs')`, 1, 13],
    [`/// <reference types="npm:@types/node" />\nexport default 1`, 1, 1],
    [`// @deno-types="https://example.org/x.d.ts"\nexport default 1`, 1, 1],
  ])('refuses a module that is not self-contained: %s', async (code, line, column) => {
    const response = await put('acme.pub.seven.foreign', code)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      error: 'invalid_code',
      line,
      column,
      message: expect.stringContaining(`line ${line}, column ${column}`),
    })
  })

  it.each([
    ['let x: = 3', 1, 8],
    ['const a = 1\nexport default (', 2, 17],
    ['const é = "日本"\nlet 1a', 2, 6],
    ['let a; let a;', 1, 5],
  ])('refuses %j with line and column', async (code, line, column) => {
    const response = await put('acme.pub.eight.broken', code)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ error: 'invalid_code', line, column })
  })

  it('refuses code that crashes the parser, and keeps working', async () => {
    for (const hostile of ['('.repeat(300_000), '['.repeat(300_000), `1${'+1'.repeat(200_000)}`]) {
      const response = await put('acme.pub.nine.hostile', hostile)
      expect(response.status).toBe(422)
      expect(await response.json()).toMatchObject({ error: 'invalid_code' })
    }
    expect((await put('acme.pub.nine.fine', 'export default 1\n')).status).toBe(201)
  })

  it('refuses a module that is not UTF-8', async () => {
    const response = await put('acme.pub.ten.latin1', new Uint8Array([0x2f, 0x2f, 0xe9, 0x0a]))
    expect([response.status, await response.json()]).toEqual([
      422,
      { error: 'invalid_code', message: expect.stringContaining('UTF-8') },
    ])
  })

  it('preserves bytes exactly, including byte order mark and CRLF', async () => {
    const code = '\u{feff}export default 1\r\n'
    const response = await put('acme.pub.ten.exact', code)
    expect(await response.json()).toMatchObject({ integrity: integrityOf(code) })
    const read = await registry.fetch('/mcp/acme.pub.ten.exact', { redirect: 'follow' })
    expect(Buffer.from(await read.arrayBuffer())).toEqual(Buffer.from(code))
  })

  it('accepts 1 MiB and refuses one byte more', async () => {
    const limit = 1024 * 1024
    const code = `//${'x'.repeat(limit - 3)}\n`
    expect((await put('acme.pub.eleven.large', code)).status).toBe(201)
    const over = await put('acme.pub.eleven.large', `${code}\n`)
    expect([over.status, await over.json()]).toEqual([
      413,
      { error: 'too_large', message: expect.stringContaining('1048576'), limit },
    ])
  })

  it('refuses a streamed body over the limit', async () => {
    const chunk = new Uint8Array(64 * 1024).fill(0x20)
    let sent = 0
    const body = new ReadableStream({
      pull: (controller) => (sent++ < 64 ? controller.enqueue(chunk) : controller.close()),
    })
    const init = {
      method: 'PUT',
      body,
      duplex: 'half',
      headers: { ...key, 'Content-Type': TYPESCRIPT },
    } as RequestInit
    const status = await registry.fetch('/mcp/acme.pub.eleven.stream', init).then(
      (response) => response.status,
      () => 'connection closed',
    )
    expect([413, 'connection closed']).toContain(status)
    expect((await registry.fetch('/mcp/acme.pub.eleven.stream')).status).toBe(404)
  })

  it.each(['text/html', 'image/png', 'application/x-www-form-urlencoded', 'application/javascript'])(
    'refuses the type %s',
    async (type) => {
      const response = await put('acme.pub.twelve.typed', 'export default 1\n', { type })
      expect([response.status, await response.json()]).toEqual([
        415,
        { error: 'unsupported_media_type', message: expect.stringContaining('application/typescript') },
      ])
    },
  )

  it.each([
    "export const description = 'a\\0b'\n",
    "export const description = 'x'\nexport const inputSchema = { title: '\\ud800' }\n",
    `export const description = '${'x'.repeat(2001)}'\n`,
  ])('refuses to take %s from a module', async (code) => {
    const response = await put('acme.pub.thirteen.literals', code)
    expect([response.status, await response.json()]).toMatchObject([422, { error: 'invalid_code' }])
  })

  it('serves a confirmed release immediately from the same process', async () => {
    for (let value = 0; value < 10; value++) {
      const { fqdn } = (await (
        await put('acme.pub.thirteen.at_once', `export default ${value}\n`)
      ).json()) as { fqdn: string }
      expect((await registry.fetch('/mcp/acme.pub.thirteen.at_once')).headers.get('location')).toBe(
        `/mcp/${fqdn}`,
      )
    }
  })

  it('refuses an unauthorized caller before it reads the body', async () => {
    const hostile = `{${'"":0,\n'.repeat(40_000)}"":0}`
    expect(
      (await put('acme.pub.thirteen.stranger', hostile, { auth: {}, type: 'application/json' })).status,
    ).toBe(401)
    const known = await put('acme.pub.thirteen.stranger', hostile, { type: 'application/json' })
    expect(known.status).toBe(400)
    expect((await known.text()).length).toBeLessThan(2000)
    const longer = await put('acme.pub.thirteen.stranger', hostile.repeat(2), { type: 'application/json' })
    expect(longer.status).toBe(413)
  })

  it.each(['x y', '', 'http://', 'http://a b/', 'https://user:word@x.org/'])(
    'refuses the server URL %j and names the field',
    async (proxyTo) => {
      const document = { type: 'http', proxyTo, tools: [], description: 'd' }
      const response = await put('acme.pub.address.bad', JSON.stringify(document), {
        type: 'application/json',
      })
      const body = (await response.json()) as { message: string }
      expect([response.status, body.message]).toEqual([422, expect.stringContaining('proxyTo')])
    },
  )

  it('refuses an empty body and invalid attributes, naming them', async () => {
    expect((await put('acme.pub.twelve.empty', '')).status).toBe(422)
    const response = await put('acme.pub.twelve.empty?routing=cloud', 'export default 1\n')
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { error: 'invalid_body', issues: [{ path: 'routing' }] },
    ])
  })

  it.each(['acme.pub.three', 'acme.pub.three.four.abcd', 'acme.pub.three.f%20our'])(
    'refuses %s as a name to publish under',
    async (name) => {
      expect(await (await put(name, 'export default 1\n')).json()).toMatchObject({ error: 'invalid_fqdn' })
    },
  )
})

describe('publishing documents', () => {
  const document = {
    type: 'stdio',
    description: 'Runs',
    install: { command: 'uvx', args: ['thing'], envRequired: ['THING_KEY'] },
    tools: ['thing:do'],
  }
  const json = { type: 'application/json' }

  it('serves them with fqdn, integrity and a routing', async () => {
    expect((await put('acme.docs.thing.server', JSON.stringify(document), json)).status).toBe(201)
    const body = await (await registry.fetch('/mcp/acme.docs.thing.server', { redirect: 'follow' })).json()
    expect(body).toMatchObject({
      ...document,
      routing: 'client',
      integrity: expect.stringMatching(/^sha256-/),
      fqdn: expect.stringMatching(/^acme\.docs\.thing\.server\./),
    })
  })

  it('creates a new release when anything in them changes, at any depth', async () => {
    const first = await (await put('acme.docs.deep.server', JSON.stringify(document), json)).json()
    const changed = { ...document, install: { ...document.install, args: ['other'] } }
    const second = await (await put('acme.docs.deep.server', JSON.stringify(changed), json)).json()
    expect(second).not.toMatchObject({ integrity: (first as { integrity: string }).integrity })
  })

  it('marks a published document as not pinned', async () => {
    await put('acme.docs.unpinned.server', JSON.stringify(document), json)
    const body = await (await registry.fetch('/mcp/acme.docs.unpinned.server', { redirect: 'follow' })).json()
    expect(body).toMatchObject({ pinned: false, reason: expect.any(String) })
  })

  it('prefers attributes of the request to those of the document', async () => {
    const routed = { ...document, routing: 'client' }
    await put('acme.docs.beside.server?routing=server&description=Beside', JSON.stringify(routed), json)
    expect(await metadata('acme.docs.beside.server')).toMatchObject({
      routing: 'server',
      description: 'Beside',
    })
  })

  it('accepts a document in the form it is served in', async () => {
    await put('acme.docs.round.server', JSON.stringify(document), json)
    const served = await (await registry.fetch('/mcp/acme.docs.round.server', { redirect: 'follow' })).text()
    expect((await put('acme.docs.round.server', served, json)).status).toBe(200)
  })

  it.each([
    ['{"type":"stdio"', 400, 'invalid_json'],
    ['{"type":"stdio","type":"http"}', 400, 'invalid_json'],
    ['[]', 422, 'invalid_body'],
    ['null', 422, 'invalid_body'],
    ['"text"', 422, 'invalid_body'],
    ['{"type":"deno","description":"x"}', 422, 'invalid_body'],
    [JSON.stringify({ ...document, extra: 1 }), 422, 'invalid_body'],
    [JSON.stringify({ ...document, pinned: true }), 422, 'invalid_body'],
    [JSON.stringify({ ...document, integrity: `sha256-${'0'.repeat(64)}` }), 422, 'invalid_body'],
    [JSON.stringify({ type: 'http', description: 'x', proxyTo: 'file:///etc/passwd' }), 422, 'invalid_body'],
    [
      JSON.stringify({ type: 'http', description: 'x', proxyTo: 'https://user:pass@example.org' }),
      422,
      'invalid_body',
    ],
    [`${'['.repeat(100_000)}`, 400, 'invalid_json'],
  ])('refuses %s', async (text, status, error) => {
    const response = await put('acme.docs.bad.server', text, json)
    expect([response.status, await response.json()]).toMatchObject([status, { error }])
  })
})

describe('who may publish', () => {
  it('refuses to publish without a key, and names the scope', async () => {
    const response = await put('acme.who.no.key', 'export default 1\n', { auth: {} })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('Bearer')
    expect(await response.json()).toMatchObject({
      error: 'unauthorized',
      message: expect.stringContaining('publish:acme.who.*'),
    })
  })

  it('refuses to publish outside the scope of the key', async () => {
    const response = await put('other.who.no.scope', 'export default 1\n')
    expect([response.status, await response.json()]).toEqual([
      403,
      {
        error: 'forbidden',
        message: expect.stringContaining('publish:other.who.*'),
        scope: 'publish:other.who.*',
      },
    ])
    expect((await registry.fetch('/mcp/other.who.no.scope')).status).toBe(404)
  })

  it.each(['module', 'document'])(
    'refuses names reserved for local servers, even to an admin (%s)',
    async (kind) => {
      const auth = await registry.key('admin')
      const type = kind === 'module' ? TYPESCRIPT : 'application/json'
      const body =
        kind === 'module'
          ? 'export default 1'
          : JSON.stringify({ type: 'http', proxyTo: 'https://a.example' })
      const answer = await put('local.mcp.files.server', body, { auth, type })
      expect([answer.status, await answer.json()]).toEqual([
        403,
        { error: 'forbidden', message: expect.stringContaining('choose another org') },
      ])
    },
  )

  it('refuses to retire without the scope', async () => {
    await put('acme.who.not.yours', 'export default 1\n')
    for (const auth of [{}, await registry.key('publish:other.*', 'read:acme', 'hook')]) {
      expect(
        (await registry.fetch('/mcp/acme.who.not.yours', { method: 'DELETE', headers: auth })).status,
      ).toBeGreaterThanOrEqual(401)
    }
    expect((await registry.fetch('/mcp/acme.who.not.yours')).status).toBe(302)
  })

  it('records actor, action and subject in the audit log', async () => {
    await put('acme.who.was.it', 'export default 1\n')
    const rows = await registry.db.orm
      .select()
      .from(auditEvent)
      .where(eq(auditEvent.subject, 'acme.who.was.it'))
    const id = key.Authorization.split('_')[1]
    expect(rows).toMatchObject([
      {
        actor: id,
        action: 'mcp.publish',
        detail: { integrity: integrityOf('export default 1\n'), previous: null },
      },
    ])
  })
})

describe('retiring', () => {
  it('returns "gone" for every read of the name, and keeps the blob', async () => {
    const code = 'export default "retired"\n'
    const { fqdn } = (await (await put('acme.end.of.life', code)).json()) as { fqdn: string }
    await registry.fetch(`/mcp/${fqdn}`)
    expect((await registry.fetch('/mcp/acme.end.of.life', { method: 'DELETE', headers: key })).status).toBe(
      204,
    )
    for (const path of ['acme.end.of.life', fqdn, 'acme.end.of.life/metadata', 'acme.end.of.life.0000']) {
      const response = await registry.fetch(`/mcp/${path}`)
      expect([response.status, await response.json()]).toMatchObject([410, { error: 'gone' }])
    }
    expect(await (await registry.fetch(`/blobs/${integrityOf(code)}`)).text()).toBe(code)
    const found = (await (await registry.fetch('/mcp?q=acme.end.of.life')).json()) as {
      items: { fqdn: string }[]
    }
    expect(found.items.map((item) => item.fqdn)).not.toContain(fqdn)
    expect((await registry.fetch('/mcp/acme.end.of.life', { method: 'DELETE', headers: key })).status).toBe(
      410,
    )
  })

  it('ends when the name is published again', async () => {
    await put('acme.end.of.sleep', 'export default 1\n')
    await registry.fetch('/mcp/acme.end.of.sleep', { method: 'DELETE', headers: key })
    expect((await put('acme.end.of.sleep', 'export default 1\n')).status).toBe(201)
    expect((await registry.fetch('/mcp/acme.end.of.sleep')).status).toBe(302)
  })

  it('returns 404 for an unknown name', async () => {
    expect(
      (await registry.fetch('/mcp/acme.never.ever.was', { method: 'DELETE', headers: key })).status,
    ).toBe(404)
  })
})

describe('races', () => {
  it('serializes a thousand concurrent publishes of one name, and loses none', async () => {
    const codes = Array.from({ length: 1000 }, (_, index) => `export default ${index}\n`)
    const statuses = await Promise.all(
      codes.map(async (code) => (await put('acme.race.one.name', code)).status),
    )
    expect(statuses.every((status) => status === 201)).toBe(true)
    const { integrity, fqdn, history } = await metadata('acme.race.one.name')
    expect(new Set([integrity, ...history.map((entry) => entry.integrity)])).toEqual(
      new Set(codes.map(integrityOf)),
    )
    expect(history).toHaveLength(999)
    expect(new Set([fqdn, ...history.map((entry) => entry.fqdn)]).size).toBe(1000)
    await expect
      .poll(async () => (await registry.fetch('/mcp/acme.race.one.name')).headers.get('location'))
      .toBe(`/mcp/${fqdn}`)
  })

  it('creates one release when many publish the same content concurrently', async () => {
    const statuses = await Promise.all(
      Array.from(
        { length: 50 },
        async () => (await put('acme.race.same.content', 'export default 1\n')).status,
      ),
    )
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 200)).toHaveLength(49)
  })
})

describe('two releases whose digests share their first four characters', () => {
  it('never share an FQDN', async () => {
    const [a, b] = collision()
    const first = (await (await put('acme.same.four.hex', a)).json()) as { fqdn: string }
    const second = (await (await put('acme.same.four.hex', b)).json()) as { fqdn: string }
    expect(first.fqdn).toBe(`acme.same.four.hex.${integrityOf(a).slice(7, 11)}`)
    expect(second.fqdn.startsWith(first.fqdn)).toBe(true)
    expect(second.fqdn.length).toBeGreaterThan(first.fqdn.length)
    expect((await registry.fetch(`/mcp/${first.fqdn}`)).status).toBe(404)
    expect(await (await registry.fetch(`/mcp/${second.fqdn}`)).text()).toBe(b)
    await put('acme.same.four.hex', a)
    expect((await registry.fetch(`/mcp/${first.fqdn}`)).status).toBe(200)
    expect((await registry.fetch(`/mcp/${second.fqdn}`)).status).toBe(404)
  })
})

/** Finds two modules whose SHA-256 share a prefix. This takes a fraction of a second: a short label is no proof. */
function collision(): [string, string] {
  const seen = new Map<string, string>()
  for (let index = 0; ; index++) {
    const code = `export default 'c${index}'\n`
    const start = integrityOf(code).slice(7, 11)
    const other = seen.get(start)
    if (other !== undefined) return [other, code]
    seen.set(start, code)
  }
}
