import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { messageWith, startProxiedRegistry } from '../../test/proxy/proxied-registry.ts'
import { startUpstream, type Upstream } from '../../test/proxy/upstream.ts'
import type { TestRegistry } from '../../test/registry.ts'

let upstream: Upstream
let registry: TestRegistry

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => response.end())
  registry = await startProxiedRegistry(
    { own: { url: `http://127.0.0.1:${upstream.port}/mcp` } },
    { proxyAllow: ['127.0.0.1', 'localhost', '::1', '0.0.0.0/0', '::/0'] },
  )
})
afterAll(() => Promise.all([registry.stop(), upstream.stop()]))

async function callPublished(name: string, document: object): Promise<[number, unknown]> {
  const published = await registry.fetch(`/mcp/${name}`, {
    method: 'PUT',
    headers: { ...(await registry.key('admin')), 'Content-Type': 'application/json' },
    body: JSON.stringify({ description: 'x', type: 'http', routing: 'server', ...document }),
  })
  expect(published.status, await published.text()).toBe(201)
  const response = await registry.fetch(`/proxy/${name}`, messageWith(await registry.key('proxy:*')))
  return [response.status, await response.json()]
}

describe('a published document', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '127.0.0.1.'])(
    'does not reach %s, even if PML_PROXY_ALLOW lists it',
    async (host) => {
      const before = upstream.connections()
      for (const [index, scheme] of ['http', 'https'].entries()) {
        const name = `acme.in.n${Buffer.from(host).toString('hex')}.s${index}`
        const answer = await callPublished(name, { proxyTo: `${scheme}://${host}:${upstream.port}/mcp` })
        expect(answer).toMatchObject([
          502,
          { error: 'upstream_failed', message: expect.stringContaining('it has no address') },
        ])
      }
      expect(upstream.connections()).toBe(before)
    },
  )
})
