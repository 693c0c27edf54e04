import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, block, callerWith, reject, spend, type Caller } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import type { SealedListener } from '../audit/follow-sealed.ts'
import { decisionStream } from './decision-stream.ts'

let registry: TestRegistry
let replica: TestRegistry
let hook: Caller
let guard: Caller

beforeAll(async () => {
  registry = await startRegistry()
  replica = await startRegistry({ databaseUrl: registry.databaseUrl })
  hook = await callerWith(registry, ['hook'])
  guard = await callerWith(registry, ['approve'], 'guard')
})
afterAll(async () => {
  await replica.stop()
  await registry.stop()
})

interface Told {
  readonly id: number
  readonly event: string
  readonly data: Record<string, unknown>
}

/** The events of a stream, one after the other. */
async function openStream(query = '', headers: Record<string, string> = {}) {
  const leaving = new AbortController()
  const response = await fetch(`${replica.url}/approvals/events${query}`, {
    headers: { Authorization: `Bearer ${hook.key}`, ...headers },
    signal: leaving.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Told> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      const block = text.slice(0, end)
      if (end >= 0) text = text.slice(end + 2)
      const [, id, event, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(end < 0 ? '' : block) ?? []
      if (data !== undefined && event !== undefined) return { id: Number(id), event, data: JSON.parse(data) }
      if (end >= 0) continue
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done) throw new Error('the stream ended')
      text += value
    }
  }
  return { response, next, close: () => leaving.abort() }
}

describe('waiting for a decision', () => {
  it.each([
    ['approved', approve],
    ['rejected', reject],
  ])('ends as soon as it is %s, at whichever replica', async (status, decide) => {
    const { id } = await block(hook)
    const url = `${replica.url}/approvals/changes/${id}?wait=30`
    const waiting = fetch(url, { headers: { Authorization: `Bearer ${hook.key}` } })
    await new Promise((done) => setImmediate(done))
    await decide(guard, id)
    expect(await (await waiting).json()).toMatchObject({ id, status, reason: expect.any(String) })
  })

  it('ends at once for what is decided already, and with what is when the time is over', async () => {
    const { id } = await block(hook)
    expect((await hook.send('GET', `/approvals/changes/${id}?wait=1`)).body['status']).toBe('blocked')
    await reject(guard, id)
    expect((await hook.send('GET', `/approvals/changes/${id}?wait=60`)).body['status']).toBe('rejected')
  })

  it.each(['wait=61', 'wait=-1', 'wait=x', 'wait=1&wait=2'])('is refused for %s', async (query) => {
    const { id } = await block(hook)
    expect((await hook.send('GET', `/approvals/changes/${id}?${query}`)).status).toBe(400)
  })
})

describe('the stream of decisions', () => {
  it('tells what happens in order, and again to whoever comes back with the last id', async () => {
    const stream = await openStream()
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
    const blocked = await block(hook, { agent: 'streamer' })
    let first = await stream.next()
    // What earlier tests did may be told a little late.
    while (first.data['changeId'] !== blocked.id) first = await stream.next()
    expect(first).toMatchObject({
      event: 'blocked',
      data: { changeId: blocked.id, path: blocked.path, agent: 'streamer' },
    })
    const { token } = (await approve(guard, blocked.id)).body
    expect(await stream.next()).toMatchObject({ event: 'approved', data: { specialist: 'guard' } })
    stream.close()
    await spend(hook, { ...blocked, token })
    const other = await block(hook)
    await reject(guard, other.id)
    const again = await openStream('', { 'Last-Event-ID': String(first.id) })
    const told = [await again.next(), await again.next(), await again.next(), await again.next()]
    again.close()
    expect(told.map(({ event }) => event)).toEqual(['approved', 'used', 'blocked', 'rejected'])
    expect(JSON.stringify(told)).not.toContain(token)
  })

  const reader = { id: 'a', scopes: ['hook'], specialist: undefined }
  const row = { seq: 1, id: 1, at: '', actor: '', action: 'change.block', subject: '', prev: '', hash: '' }

  it('stops reading the log for whoever has left', async () => {
    let reads = 0
    const audit = {
      subscribe: () => () => {},
      read: async (_after: number, limit: number) => {
        await new Promise((done) => setTimeout(done, ++reads))
        return Array.from({ length: limit }, () => ({ ...row, detail: {} }))
      },
    }
    const stream = decisionStream(audit, reader, { after: 0 })
    await stream.cancel()
    await new Promise((done) => setTimeout(done, 100))
    expect(reads).toBe(1)
  })

  it('holds no more than half a megabyte for whoever does not read', async () => {
    let tell: SealedListener = () => {}
    const audit = {
      subscribe: (listener: SealedListener) => {
        tell = listener
        return () => {}
      },
      read: async () => [],
    }
    const stream = decisionStream(audit, reader, { after: undefined })
    for (let seq = 1; seq <= 900; seq++) tell([{ ...row, seq, detail: { path: 'x'.repeat(4000) } }])
    let held = 0
    for await (const chunk of stream) held += chunk.byteLength
    expect(held).toBeGreaterThan(500_000)
    expect(held).toBeLessThan(600_000)
  })

  it('is there for others however often somebody asked for its headers or left', async () => {
    const headers = { Authorization: `Bearer ${hook.key}` }
    for (let asked = 0; asked < 250; asked++)
      expect((await replica.fetch('/approvals/events', { method: 'HEAD', headers })).status).toBe(200)
    for (let opened = 0; opened < 250; opened++) (await openStream()).close()
    const stream = await openStream()
    expect(stream.response.status).toBe(200)
    stream.close()
  })

  it('is for keys with the scope, takes only an id, and has a HEAD that ends', async () => {
    const other = await callerWith(registry, ['publish:*'])
    expect((await other.send('GET', '/approvals/events')).status).toBe(403)
    expect((await hook.send('GET', '/approvals/events?after=x')).status).toBe(400)
    const head = await registry.fetch('/approvals/events', {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${hook.key}` },
    })
    expect(head.status).toBe(200)
  })
})
