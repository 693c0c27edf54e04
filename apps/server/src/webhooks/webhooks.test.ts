import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { approve, block, callerWith, reject } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

interface Got {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: { type: string; data: Record<string, unknown> }
}

const soon = { timeout: 20_000, interval: 20 }
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

/** A receiver with scripted responses that records its requests. */
async function startReceiver(statuses: number[] = []) {
  const got: Got[] = []
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const text = Buffer.concat(chunks).toString()
        got.push({ headers: request.headers, text, body: JSON.parse(text) as Got['body'] })
        response.writeHead(statuses.shift() ?? 204, { location: 'http://127.0.0.1:1/' }).end()
      })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  stops.push(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=1` }
}

const secret = 'whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQ='

async function startWith(
  webhooks: readonly object[],
  options: Parameters<typeof startRegistry>[0] = {},
): Promise<TestRegistry> {
  const registry = await startRegistry({
    proxyAllow: ['127.0.0.1'],
    variables: { HOOK_SECRET: secret },
    webhookPauseMs: 20,
    ...options,
  })
  stops.push(() => registry.stop())
  await writeFile(join(registry.configDir, 'approvals.json'), JSON.stringify({ webhooks }))
  // The configuration is in effect once the webhook has a position in the log.
  await expect
    .poll(async () => Number((await registry.db.sql`select count(*) from webhook`)[0]?.['count']), soon)
    .toBe(webhooks.length)
  return registry
}

describe('a webhook', () => {
  it('receives blocks and decisions in order, signed, without content or token', async () => {
    const { got, url } = await startReceiver()
    const registry = await startWith([{ url, secret: '${HOOK_SECRET}' }])
    const hook = await callerWith(registry, ['hook'])
    const guard = await callerWith(registry, ['approve'], 'guard')
    const one = await block(hook)
    const { token } = (await approve(guard, one.id)).body
    await hook.send('POST', '/approvals/spend', { content: one.content, path: one.path, token })
    const two = await block(hook)
    await reject(guard, two.id)
    await expect.poll(() => got.length, soon).toBe(4)
    expect(got.map(({ body }) => [body.type, body.data['changeId']])).toEqual([
      ['change.blocked', one.id],
      ['change.approved', one.id],
      ['change.blocked', two.id],
      ['change.rejected', two.id],
    ])
    for (const { headers, text } of got) {
      expect(text).not.toContain(token)
      expect(text).not.toContain('rejects.toThrow')
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      const expected = createHmac('sha256', key).update(signed).digest('base64')
      expect(headers['webhook-signature']).toBe(`v1,${expected}`)
    }
    expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(4)
  })

  it('is retried with the same message in order until it accepts, without following redirects', async () => {
    const { got, url } = await startReceiver([500, 302, 503])
    const registry = await startWith([{ url, secret: '${HOOK_SECRET}', events: ['blocked'] }])
    const hook = await callerWith(registry, ['hook'])
    const [one, two] = [await block(hook), await block(hook)]
    await expect.poll(() => got.length, soon).toBe(5)
    expect(got.map(({ body }) => body.data['changeId'])).toEqual([one.id, one.id, one.id, one.id, two.id])
    expect(new Set(got.slice(0, 4).map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(registry.log.join('')).not.toContain('key=1')
  })

  it('receives each message once from two replicas', async () => {
    const { got, url } = await startReceiver()
    const registry = await startWith([{ url, secret: '${HOOK_SECRET}', events: ['blocked'] }])
    const { databaseUrl, configDir } = registry
    const replica = await startRegistry({
      databaseUrl,
      configDir,
      proxyAllow: ['127.0.0.1'],
      variables: { HOOK_SECRET: secret },
      webhookPauseMs: 20,
    })
    stops.push(() => replica.stop())
    const hook = await callerWith(registry, ['hook'])
    const ids: string[] = []
    for (let index = 0; index < 20; index++) ids.push((await block(hook)).id)
    await expect.poll(() => got.length, soon).toBe(20)
    expect(got.map(({ body }) => body.data['changeId'])).toEqual(ids)
  })

  it('does not reach a private network unless allowed', async () => {
    const { got, url } = await startReceiver()
    const registry = await startWith([{ url, secret: '${HOOK_SECRET}', events: ['blocked'] }], {
      proxyAllow: [],
    })
    const hook = await callerWith(registry, ['hook'])
    await block(hook)
    await expect
      .poll(() => registry.log.some((line) => line.includes('a webhook refused a message')), soon)
      .toBe(true)
    expect(registry.log.join('')).toContain('no address that the registry may connect to')
    expect(got).toEqual([])
  })

  it('without its secret is skipped, and the log names the missing variable', async () => {
    const { got, url } = await startReceiver()
    const registry = await startRegistry({ proxyAllow: ['127.0.0.1'] })
    stops.push(() => registry.stop())
    const webhooks = [{ url, secret: '${HOOK_SECRET}' }]
    await writeFile(join(registry.configDir, 'approvals.json'), JSON.stringify({ webhooks }))
    await expect.poll(() => registry.log.filter((line) => line.includes('HOOK_SECRET')).length, soon).toBe(1)
    expect(got).toEqual([])
  })
})
