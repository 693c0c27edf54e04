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

/** A name server that tells another address each time it is asked. */
function telling(...answers: string[][]) {
  const asked: string[] = []
  const find = ((host: string, _options: unknown, done: (error: null, found: object[]) => void) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(host)
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as unknown as typeof lookup
  return { find, asked }
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

describe('the way out', () => {
  it('leads to a name that the operator allows, wherever that is', async () => {
    const { find, asked } = telling(['127.0.0.1'])
    expect(await get(`http://inside.test:${server.port}/`, { allow: ['inside.test'], find })).toBe('hello')
    expect(asked).toEqual(['inside.test'])
  })

  it.each(['http', 'https'])('does not lead to a private address behind a name, by %s', async (scheme) => {
    const before = server.connections()
    const { find, asked } = telling(['127.0.0.1'])
    await expect(get(`${scheme}://rebind.test:${server.port}/`, { find })).rejects.toMatchObject(refused)
    expect(asked).toEqual(['rebind.test'])
    expect(server.connections()).toBe(before)
  })

  it('connects to the very address that was judged: a name that changes is not asked twice', async () => {
    const { find, asked } = telling(['127.0.0.1'], ['127.0.0.2'], ['10.0.0.1'])
    expect(await get(`http://moving.test:${server.port}/`, { allow: ['127.0.0.1'], find })).toBe('hello')
    expect(asked).toEqual(['moving.test'])
  })

  it('leaves out what is not allowed among several addresses of a name', async () => {
    const { find } = telling(['::1', '127.0.0.2', '127.0.0.1'])
    expect(await get(`http://many.test:${server.port}/`, { allow: ['127.0.0.1'], find })).toBe('hello')
  })

  it('says the same about a name that leads inside and one that leads nowhere', async () => {
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
    const { find, asked } = telling(['127.0.0.1'])
    for (const scheme of ['http', 'https'])
      await expect(get(`${scheme}://${host}:${server.port}/`, { find })).rejects.toMatchObject(refused)
    expect(asked).toEqual([])
    expect(server.connections()).toBe(before)
  })

  it('leads to the one port that the operator allows', async () => {
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

  it('leads nowhere without TLS, unless the operator allows it', async () => {
    await expect(get('http://1.1.1.1/', telling(['1.1.1.1']))).rejects.toMatchObject(refused)
    await expect(get('http://public.test/', telling(['1.1.1.1']))).rejects.toMatchObject(refused)
  })
})
