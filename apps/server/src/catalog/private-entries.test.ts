import { createHash } from 'node:crypto'
import { parseName } from '@pml/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { anonymous } from '../keys/actor.ts'
import { readMetadata } from './read-metadata.ts'

const code = 'export default "secret recipe"\n'
const integrity = `sha256-${createHash('sha256').update(code).digest('hex')}`
const NAME = 'acme.private.recipe.cook'
const fqdn = `${NAME}.${integrity.slice(7, 11)}`
const paths = [
  `/mcp/${fqdn}`,
  `/mcp/${NAME}`,
  `/mcp/${NAME}.0000`,
  `/mcp/${NAME}/metadata`,
  `/blobs/${integrity}`,
]

let registry: TestRegistry
let reader: { Authorization: string }
let publisher: { Authorization: string }

beforeAll(async () => {
  registry = await startRegistry()
  reader = await registry.key('read:acme')
  publisher = await registry.key('publish:acme.private.*')
  const init = {
    method: 'PUT',
    body: code,
    headers: { ...publisher, 'Content-Type': 'application/typescript', 'X-PML-Visibility': 'private' },
  }
  expect((await registry.fetch(`/mcp/${NAME}`, init)).status).toBe(201)
})
afterAll(() => registry.stop())

describe('a private entry', () => {
  it('is readable by keys of its org and keys that may publish it, and not in shared caches', async () => {
    for (const headers of [reader, publisher, await registry.key('admin')]) {
      const response = await registry.fetch(`/mcp/${fqdn}`, { headers })
      expect([response.status, await response.text()]).toEqual([200, code])
      expect(response.headers.get('cache-control')).toBe('private, no-cache')
      const blob = await registry.fetch(`/blobs/${integrity}`, { headers })
      expect([blob.status, blob.headers.get('cache-control')]).toEqual([
        200,
        'private, max-age=31536000, immutable',
      ])
      const metadata = await registry.fetch(`/mcp/${NAME}/metadata`, { headers })
      expect([metadata.status, metadata.headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
    }
  })

  it('is not found by others, even just after an authorized read', async () => {
    const others = [
      {},
      await registry.key('read:other'),
      await registry.key('publish:acme.public.*'),
      await registry.key('hook'),
    ]
    for (const headers of others) {
      await registry.fetch(`/mcp/${fqdn}`, { headers: reader })
      for (const path of paths) {
        const response = await registry.fetch(path, { headers: { ...headers, 'If-None-Match': '*' } })
        expect([path, response.status]).toEqual([path, 404])
        const body = (await response.json()) as { error: string }
        expect(body.error).toBe('not_found')
        expect(response.headers.get('cache-control')).toBe('no-store')
      }
    }
  })

  it('gives others the same responses as a name that never existed', async () => {
    const [hidden, unknown] = [
      await registry.fetch(`/mcp/${NAME}`),
      await registry.fetch('/mcp/acme.private.no.such'),
    ]
    expect(await hidden.json()).toEqual({ error: 'not_found', message: `MCP '${NAME}' not in registry` })
    expect(await unknown.json()).toEqual({
      error: 'not_found',
      message: "MCP 'acme.private.no.such' not in registry",
    })
  })

  it('is listed and counted only for those who may read it', async () => {
    const total = async (headers: Record<string, string>) => {
      const response = await registry.fetch('/mcp?q=recipe', { headers })
      return [((await response.json()) as { total: number }).total, response.headers.get('cache-control')]
    }
    expect(await total({})).toEqual([0, 'public, no-cache'])
    expect(await total(reader)).toEqual([1, 'private, no-cache'])
    expect(await total(publisher)).toEqual([1, 'private, no-cache'])
    expect(await total(await registry.key('read:other'))).toEqual([0, 'private, no-cache'])
    expect(await total({})).toEqual([0, 'public, no-cache'])
    const listed = async (query: string, headers: Record<string, string>) =>
      (await (await registry.fetch(`/mcp?${query}`, { headers })).text()).includes(NAME)
    for (const query of ['limit=100', 'type=deno', 'routing=client', 'type=deno&limit=1&page=1']) {
      expect(await listed(query, {}), query).toBe(false)
      expect(await listed(query, await registry.key('read:other')), query).toBe(false)
      expect(await listed(query, reader), query).toBe(true)
    }
  })

  it('is not described to a caller who was authorized before it became private', async () => {
    await expect(
      readMetadata(registry.db, anonymous, { name: parseName(NAME), hash: undefined }),
    ).rejects.toThrow(`MCP '${NAME}' not in registry`)
  })

  it('is hidden when a public entry becomes private; its formerly public bytes stay readable as a blob', async () => {
    const body = 'export default "once public"\n'
    const headers = { ...publisher, 'Content-Type': 'application/typescript' }
    const put = (visibility: string) =>
      registry.fetch(`/mcp/acme.private.once.public?visibility=${visibility}`, {
        method: 'PUT',
        body,
        headers,
      })
    const published = (await (await put('public')).json()) as { fqdn: string; integrity: string }
    expect((await registry.fetch(`/mcp/${published.fqdn}`)).status).toBe(200)
    expect((await put('private')).status).toBe(200)
    expect((await registry.fetch(`/mcp/${published.fqdn}`)).status).toBe(404)
    expect((await registry.fetch(`/blobs/${published.integrity}`)).status).toBe(200)
  })

  it('keeps its private releases hidden when the name becomes public with a new one', async () => {
    const name = 'acme.private.later.public'
    const put = async (body: string, visibility: string) => {
      const headers = { ...publisher, 'Content-Type': 'application/typescript' }
      const init = { method: 'PUT', body, headers }
      const response = await registry.fetch(`/mcp/${name}?visibility=${visibility}`, init)
      return (await response.json()) as { fqdn: string; integrity: string }
    }
    const hidden = await put('export default "draft"\n', 'private')
    const open = await put('export default "final"\n', 'public')
    const historyFor = async (headers: Record<string, string>) => {
      const response = await registry.fetch(`/mcp/${name}/metadata`, { headers })
      const { history } = (await response.json()) as { history: { fqdn: string }[] }
      return history.map(({ fqdn: earlier }) => earlier)
    }
    expect((await registry.fetch(`/blobs/${open.integrity}`)).status).toBe(200)
    for (const headers of [{}, await registry.key('read:other'), await registry.key('hook')]) {
      expect((await registry.fetch(`/blobs/${hidden.integrity}`, { headers })).status).toBe(404)
      expect(await historyFor(headers)).toEqual([])
    }
    for (const headers of [reader, publisher]) {
      expect((await registry.fetch(`/blobs/${hidden.integrity}`, { headers })).status).toBe(200)
      expect(await historyFor(headers)).toEqual([hidden.fqdn])
    }
    await put('export default "draft"\n', 'public')
    expect((await registry.fetch(`/blobs/${hidden.integrity}`)).status).toBe(200)
  })

  it('is readable as a blob if a public name has the same content', async () => {
    const headers = { ...(await registry.key('admin')), 'Content-Type': 'application/typescript' }
    await registry.fetch('/mcp/other.public.recipe.cook', { method: 'PUT', body: code, headers })
    const response = await registry.fetch(`/blobs/${integrity}`)
    expect([response.status, response.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ])
  })
})
