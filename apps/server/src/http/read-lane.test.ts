import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

let registry: TestRegistry
let limited: TestRegistry
let fqdn: string
let key: { Authorization: string }

const name = 'acme.tools.text.shout'
const module = 'export default ({ text }: { text: string }) => text.toUpperCase()\n'

beforeAll(async () => {
  registry = await startRegistry()
  limited = await startRegistry({ databaseUrl: registry.databaseUrl, readsPerMinute: 3 })
  const headers = { ...(await registry.key('publish:*')), 'Content-Type': 'application/typescript' }
  const published = await registry.fetch(`/mcp/${name}`, { method: 'PUT', body: module, headers })
  fqdn = ((await published.json()) as { fqdn: string }).fqdn
  key = await registry.key('read:acme')
})
afterAll(async () => {
  await limited.stop()
  await registry.stop()
})

async function seen(path: string, init: RequestInit) {
  const response = await registry.fetch(path, init)
  const headers = Object.fromEntries(response.headers)
  for (const hop of ['date', 'connection', 'keep-alive']) delete headers[hop]
  return { status: response.status, headers, body: await response.text() }
}

describe('the read lane and the route give the same response for', () => {
  const hash = () => fqdn.slice(fqdn.lastIndexOf('.') + 1)
  it.each<[string, () => string, RequestInit?]>([
    ['an entry', () => `/mcp/${fqdn}`],
    ['an entry by HEAD', () => `/mcp/${fqdn}`, { method: 'HEAD' }],
    ['an unchanged entry', () => `/mcp/${fqdn}`, { headers: { 'If-None-Match': '*' } }],
    ['a name', () => `/mcp/${name}`],
    ['a wrong hash', () => `/mcp/${name}.${hash() === '0000' ? '1111' : '0000'}`],
    ['an unknown name', () => '/mcp/acme.tools.text.nothing'],
    ['no name', () => '/mcp/acme'],
  ])('%s', async (_what, path, init = {}) => {
    const headers = new Headers(init.headers)
    const open = await seen(path(), { ...init, headers })
    headers.set('Authorization', key.Authorization)
    const keyed = await seen(path(), { ...init, headers })
    for (const answer of [open, keyed]) answer.headers['x-request-id'] &&= 'some'
    expect(open).toEqual(keyed)
  })

  it('a cached page of the catalog', async () => {
    const path = '/mcp?limit=1&q=shout'
    const first = await seen(path, {})
    const again = await seen(path, {})
    const head = await seen(path, { method: 'HEAD' })
    expect([first.status, first.body.length > 0, head.body]).toEqual([200, true, ''])
    expect(again).toEqual(first)
    expect(head.headers).toEqual(first.headers)
  })
})

describe('a read on the read lane', () => {
  it('is logged and measured like a request to a route', async () => {
    const count = async () => {
      const text = await (await registry.fetch('/metrics')).text()
      const line =
        /pml_request_duration_seconds_count\{route="\/mcp\/:reference",method="GET",status="200"\} (\d+)/
      return Number(line.exec(text)?.[1] ?? 0)
    }
    await registry.fetch(`/mcp/${fqdn}`)
    const before = await count()
    await registry.fetch(`/mcp/${fqdn}?from=memory`, { headers: { 'X-Request-Id': 'lane-1' } })
    await registry.fetch(`/mcp/${fqdn}`, { headers: { 'X-Request-Id': 'lane-2' } })
    expect(await count()).toBe(before + 2)
    expect(registry.log.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ requestId: 'lane-2', method: 'GET', path: `/mcp/${fqdn}`, status: 200 }),
    )
  })

  it('counts against the read limit', async () => {
    const statuses = []
    for (let at = 0; at < 5; at++) statuses.push((await limited.fetch(`/mcp/${fqdn}`)).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    const refused = await limited.fetch(`/mcp/${fqdn}`)
    expect(await refused.json()).toMatchObject({ error: 'rate_limited' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})
