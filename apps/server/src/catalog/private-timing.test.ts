import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

const PRIVATE = 'acme.private.large.module'
const UNKNOWN = 'acme.private.large.modulo'
/** Large, so that reading it would take measurable time. */
const args = Array.from({ length: 100 }, () => 'x'.repeat(4000))
const document = JSON.stringify({
  type: 'stdio',
  description: 'Secret',
  install: { command: 'uvx', args, envRequired: [] },
  tools: [],
})
const SAMPLES = 25
const ROUNDS = 4
/** The allowed ratio of the two times; a leak showed as a factor of seven. */
const MOST_APART = 2

let registry: TestRegistry
let admin: { Authorization: string }
let other: { Authorization: string }
let integrity: string

beforeAll(async () => {
  registry = await startRegistry()
  admin = await registry.key('admin')
  other = await registry.key('read:other', 'publish:other', 'proxy:*')
  const headers = { ...admin, 'Content-Type': 'application/json', 'X-PML-Visibility': 'private' }
  const response = await registry.fetch(`/mcp/${PRIVATE}`, { method: 'PUT', body: document, headers })
  expect(response.status).toBe(201)
  integrity = ((await response.json()) as { integrity: string }).integrity
})
afterAll(() => registry.stop())

const tool = (name: string, args: object) => ({
  path: `/tools/${name}`,
  init: { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(args) },
})

type Asked = { path: string; init?: RequestInit }
const asked: [string, (isPrivate: boolean) => Asked][] = [
  ['GET /mcp/<name>', (isPrivate) => ({ path: `/mcp/${isPrivate ? PRIVATE : UNKNOWN}` })],
  ['GET /mcp/<fqdn>', (isPrivate) => ({ path: `/mcp/${isPrivate ? PRIVATE : UNKNOWN}.0000` })],
  ['GET metadata', (isPrivate) => ({ path: `/mcp/${isPrivate ? PRIVATE : UNKNOWN}/metadata` })],
  ['GET /blobs', (isPrivate) => ({ path: `/blobs/${isPrivate ? integrity : `sha256-${'0'.repeat(64)}`}` })],
  ['catalog_get', (isPrivate) => tool('catalog_get', { name: isPrivate ? PRIVATE : UNKNOWN })],
  ['catalog_show', (isPrivate) => tool('catalog_show', { name: isPrivate ? PRIVATE : UNKNOWN })],
]

async function send({ path, init }: Asked, headers: Record<string, string>): Promise<number> {
  const response = await registry.fetch(path, { ...init, headers: { ...init?.headers, ...headers } })
  await response.arrayBuffer()
  return response.status
}

/** Records each lookup in the database, with its parameters. */
async function queriesOf(work: () => Promise<unknown>): Promise<string[]> {
  const { lookups } = registry.db
  const made: string[] = []
  const counting = new Proxy(lookups, {
    apply: (target, self, args: [TemplateStringsArray, ...unknown[]]) => {
      const text = args[0].join('?')
      if (text.includes('mcp_name')) made.push(`${text} ${String(args[2])}`)
      return Reflect.apply(target, self, args) as unknown
    },
  })
  Object.assign(registry.db, { lookups: counting })
  await work().finally(() => Object.assign(registry.db, { lookups }))
  return made
}

describe('a private name, for callers who may not read it,', () => {
  it.each(asked)('takes the same queries as an unknown one: %s', async (_, ask) => {
    for (const headers of [{}, other]) {
      // An authorized read first fills the caches.
      await registry.fetch(`/mcp/${PRIVATE}`, { headers: admin })
      const hidden = await queriesOf(() => send(ask(true), headers))
      const unknown = await queriesOf(() => send(ask(false), headers))
      expect(hidden).toEqual(unknown)
      expect([await send(ask(true), headers), await send(ask(false), headers)]).toEqual([404, 404])
    }
  })

  it.each(asked)('takes the same time as an unknown one: %s', async (_, ask) => {
    await registry.fetch(`/mcp/${PRIVATE}`, { headers: admin })
    const ratios: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const ratio = await ratioOf(ask)
      ratios.push(ratio)
      if (ratio < MOST_APART && ratio > 1 / MOST_APART) return
    }
    expect.fail(`in every round the two were apart: ${ratios.join(', ')}`)
  })

  it('is refused to writers and proxies like an unknown one', async () => {
    const init = { method: 'PUT', body: document, headers: { 'Content-Type': 'application/json' } }
    for (const isPrivate of [true, false]) {
      const name = isPrivate ? PRIVATE : UNKNOWN
      expect(await send({ path: `/mcp/${name}`, init }, other)).toBe(403)
      expect(await send({ path: `/mcp/${name}`, init: { method: 'DELETE' } }, other)).toBe(403)
      expect(await send({ path: `/proxy/${name}`, init: { method: 'GET' } }, other)).toBe(404)
    }
  })
})

/** Returns the ratio of the median times of alternating samples, so that both see the same load. */
async function ratioOf(ask: (isPrivate: boolean) => Asked): Promise<number> {
  const times: Record<'private' | 'unknown', number[]> = { private: [], unknown: [] }
  for (let sample = 0; sample < SAMPLES * 2; sample++) {
    const kind = (sample + (sample >> 1)) % 2 === 0 ? 'private' : 'unknown'
    const began = performance.now()
    await send(ask(kind === 'private'), {})
    times[kind].push(performance.now() - began)
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? NaN
  return median(times.private) / median(times.unknown)
}
