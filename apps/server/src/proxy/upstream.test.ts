import type { lookup } from 'node:dns'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startUpstream, type Upstream as Server } from '../../test/proxy/upstream.ts'
import { createAllowList } from './allow-list.ts'
import { usualLimits } from './limits.ts'
import { createUpstream } from './upstream.ts'

let server: Server

beforeAll(async () => {
  server = await startUpstream((_request, response) => response.end('hello'))
})
afterAll(() => server.stop())

/** A name server that returns another address for each lookup. */
function telling(...answers: string[][]) {
  const lookups: string[] = []
  const find = ((host: string, _options: unknown, done: (error: null, found: object[]) => void) => {
    const addresses = answers[Math.min(lookups.length, answers.length - 1)] ?? []
    lookups.push(host)
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as unknown as typeof lookup
  return { find, lookups }
}

async function get(url: string, { allow = [], find }: { allow?: string[]; find: typeof lookup }) {
  const upstream = createUpstream({ allow: createAllowList(allow), lookup: find, limits: usualLimits })
  const { signal } = new AbortController()
  try {
    const target = { url: new URL(url), headers: {}, place: new URL(url).origin }
    const { body } = await upstream.send(target, { method: 'GET', headers: {}, body: null, signal })
    return await text(body)
  } finally {
    await upstream.close()
  }
}

const refused = { code: 'upstream_failed', message: expect.stringContaining('PML_PROXY_ALLOW') }

describe('the upstream client', () => {
  it('connects to an allowed name at any address', async () => {
    const { find, lookups } = telling(['127.0.0.1'])
    expect(await get(`http://inside.test:${server.port}/`, { allow: ['inside.test'], find })).toBe('hello')
    expect(lookups).toEqual(['inside.test'])
  })

  it.each(['http', 'https'])('refuses a name with a private address over %s', async (scheme) => {
    const before = server.connections()
    const { find, lookups } = telling(['127.0.0.1'])
    await expect(get(`${scheme}://rebind.test:${server.port}/`, { find })).rejects.toMatchObject(refused)
    expect(lookups).toEqual(['rebind.test'])
    expect(server.connections()).toBe(before)
  })

  it('connects to the address that it checked, without a second lookup', async () => {
    const { find, lookups } = telling(['127.0.0.1'], ['127.0.0.2'], ['10.0.0.1'])
    expect(await get(`http://moving.test:${server.port}/`, { allow: ['127.0.0.1'], find })).toBe('hello')
    expect(lookups).toEqual(['moving.test'])
  })

  it('skips the disallowed addresses of a name', async () => {
    const { find } = telling(['::1', '127.0.0.2', '127.0.0.1'])
    expect(await get(`http://many.test:${server.port}/`, { allow: ['127.0.0.1'], find })).toBe('hello')
  })

  it('returns the same error for a private name and an unknown name', async () => {
    const inside = get('https://same.test/', telling(['10.0.0.1']))
    const nowhere = get('https://same.test/', telling([]))
    const [one, other] = await Promise.allSettled([inside, nowhere])
    expect(one).toMatchObject({ status: 'rejected', reason: refused })
    expect(String((other as PromiseRejectedResult).reason)).toBe(
      String((one as PromiseRejectedResult).reason),
    )
  })

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
    '%31%32%37.0.0.1',
    '①②⑦.0.0.1',
  ])('does not lead to this machine written as %s', async (host) => {
    const before = server.connections()
    const { find, lookups } = telling(['127.0.0.1'])
    for (const scheme of ['http', 'https'])
      await expect(get(`${scheme}://${host}:${server.port}/`, { find })).rejects.toMatchObject(refused)
    expect(lookups).toEqual([])
    expect(server.connections()).toBe(before)
  })

  it('connects only to the allowed port', async () => {
    const { find } = telling(['127.0.0.1'])
    const { port } = server
    const other = await startUpstream((_request, response) => response.end('other'))
    for (const host of ['127.0.0.1', 'inside.test', '[::ffff:127.0.0.1]']) {
      const allow = [`127.0.0.1:${port}`, `inside.test:${port}`]
      expect(await get(`http://${host}:${port}/`, { allow, find })).toBe('hello')
      await expect(get(`http://${host}:${other.port}/`, { allow, find })).rejects.toMatchObject(refused)
    }
    expect(other.connections()).toBe(0)
    await other.stop()
  })

  it('requires TLS unless the operator allows the host', async () => {
    await expect(get('http://1.1.1.1/', telling(['1.1.1.1']))).rejects.toMatchObject(refused)
    await expect(get('http://public.test/', telling(['1.1.1.1']))).rejects.toMatchObject(refused)
  })
})
