import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { approve, block, callerWith, reject, spend, type Caller } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { usualApprovalConfig } from '@pml/core/approval-config'
import type { SealedListener } from '../audit/follow-sealed.ts'
import type { SealedEvent } from '../audit/read-rows.ts'
import type { Approvals } from './approvals.ts'
import { decisionStream } from './decision-stream.ts'
import { createSeats } from './seats.ts'
import { waitForDecision } from './wait-for-decision.ts'

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

interface StreamEvent {
  readonly id: number
  readonly event: string
  readonly data: Record<string, unknown>
}

/** Reads the events of a stream one by one. */
async function openStream(query = '', headers: Record<string, string> = {}) {
  const leaving = new AbortController()
  const response = await fetch(`${replica.url}/approvals/events${query}`, {
    headers: { Authorization: `Bearer ${hook.key}`, ...headers },
    signal: leaving.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<StreamEvent> => {
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
  ])(
    'ends as soon as it is %s, on any replica',
    async (status, decide) => {
      const { id } = await block(hook)
      const url = `${replica.url}/approvals/changes/${id}?wait=60`
      const waiting = fetch(url, { headers: { Authorization: `Bearer ${hook.key}` } })
      await decide(guard, id)
      expect(await (await waiting).json()).toMatchObject({ id, status, reason: expect.any(String) })
    },
    20_000,
  )

  it('does not end when a refused decision is made', async () => {
    const both = await callerWith(registry, ['hook', 'approve'], 'both')
    const { id } = await block(both)
    const waiting = hook.send('GET', `/approvals/changes/${id}?wait=60`)
    expect((await approve(both, id)).body.error).toBe('self_approval')
    await approve(guard, id)
    expect((await waiting).body['status']).toBe('approved')
  }, 20_000)

  it('ends immediately for a decided change, and at the timeout for an open one', async () => {
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

describe('the seat of a wait', () => {
  const seatOf = () => {
    const waits = createSeats({ most: 1, perKey: 1 })
    const listeners = new Set<SealedListener>()
    const audit = {
      subscribe: (listener: SealedListener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    }
    // waitForDecision reads no other member.
    const approvals = { db: registry.db, config: () => usualApprovalConfig, waits } as Approvals
    const wait = (id: string, signal: AbortSignal, waitSeconds = 60) =>
      waitForDecision({ approvals, audit }, actor, { id, waitSeconds, signal })
    return {
      waits,
      wait,
      listening: async () => {
        await expect.poll(() => listeners.size).toBe(1)
      },
      isFree: () => {
        waits.take(actor.id, () => {})()
        return listeners.size === 0
      },
    }
  }
  const actor = { id: 'a', scopes: ['hook'], specialist: undefined }
  const staying = () => new AbortController().signal

  it('is freed when the client disconnects', async () => {
    const { id } = await block(hook)
    const { wait, listening, isFree } = seatOf()
    const leaving = new AbortController()
    const waiting = wait(id, leaving.signal)
    await listening()
    leaving.abort()
    expect((await waiting).status).toBe('blocked')
    expect(isFree()).toBe(true)
    expect((await wait(id, AbortSignal.abort())).status).toBe('blocked')
    expect(isFree()).toBe(true)
  })

  it('is freed at the timeout, even after a garbage collection', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const { id } = await block(hook)
    const { wait, listening, isFree } = seatOf()
    const waiting = wait(id, staying(), 2)
    await listening()
    const collecting = setInterval(collectGarbage, 400)
    try {
      expect((await waiting).status).toBe('blocked')
    } finally {
      clearInterval(collecting)
    }
    expect(isFree()).toBe(true)
  })

  it('is freed when the server stops', async () => {
    const { id } = await block(hook)
    const { waits, wait, listening, isFree } = seatOf()
    const waiting = wait(id, staying())
    await listening()
    waits.close()
    expect((await waiting).status).toBe('blocked')
    expect(isFree()).toBe(true)
  })

  it('is freed when the change cannot be shown', async () => {
    const { wait, isFree } = seatOf()
    await expect(wait('chg_none', staying())).rejects.toMatchObject({ code: 'not_found' })
    expect(isFree()).toBe(true)
  })

  it('is not taken by a wait that is refused', async () => {
    const { id } = await block(hook)
    const { wait, listening, waits } = seatOf()
    const waiting = wait(id, staying())
    await listening()
    await expect(wait(id, staying())).rejects.toMatchObject({ code: 'rate_limited' })
    waits.close()
    await waiting
  })
})

describe('the stream of decisions', () => {
  it('sends events in order, and resumes after the last id', async () => {
    const stream = await openStream()
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
    const blocked = await block(hook, { agent: 'streamer' })
    let first = await stream.next()
    // Events of earlier tests may arrive late.
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
    const events = [await again.next(), await again.next(), await again.next(), await again.next()]
    again.close()
    expect(events.map(({ event }) => event)).toEqual(['approved', 'used', 'blocked', 'rejected'])
    expect(JSON.stringify(events)).not.toContain(token)
  })

  const reader = { id: 'a', scopes: ['hook'], specialist: undefined }
  const row = { seq: 1, id: 1, at: '', actor: '', action: 'change.block', subject: '', prev: '', hash: '' }

  it('stops reading the log after the client disconnects', async () => {
    let reads = 0
    let answer: (rows: SealedEvent[]) => void = () => {}
    const audit = {
      subscribe: () => () => {},
      read: (_after: number, limit: number) => {
        reads += 1
        return new Promise<SealedEvent[]>((done) => {
          answer = () => done(Array.from({ length: limit }, () => ({ ...row, detail: {} })))
        })
      },
    }
    const stream = decisionStream({ audit, seats: createSeats({ most: 1, perKey: 1 }) }, reader, 0)
    await stream.cancel()
    answer([])
    await new Promise((done) => setImmediate(done))
    expect(reads).toBe(1)
  })

  it('buffers at most half a megabyte for a client that does not read', async () => {
    let tell: SealedListener = () => {}
    const audit = {
      subscribe: (listener: SealedListener) => {
        tell = listener
        return () => {}
      },
      read: async () => [],
    }
    const stream = decisionStream({ audit, seats: createSeats({ most: 1, perKey: 1 }) }, reader, undefined)
    for (let seq = 1; seq <= 900; seq++) tell([{ ...row, seq, detail: { path: 'x'.repeat(4000) } }])
    let held = 0
    for await (const chunk of stream) held += chunk.byteLength
    expect(held).toBeGreaterThan(500_000)
    expect(held).toBeLessThan(600_000)
  })

  it('stays available after many HEAD requests and disconnects', async () => {
    const headers = { Authorization: `Bearer ${hook.key}` }
    for (let asked = 0; asked < 250; asked++)
      expect((await replica.fetch('/approvals/events', { method: 'HEAD', headers })).status).toBe(200)
    for (let opened = 0; opened < 250; opened++) (await openStream()).close()
    const stream = await openStream()
    expect(stream.response.status).toBe(200)
    stream.close()
  })

  it('ends when the server stops', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const audit = { subscribe: () => () => {}, read: async () => [] }
    const seats = createSeats({ most: 3, perKey: 2 })
    const stays = decisionStream({ audit, seats }, reader, undefined)
    const left = decisionStream({ audit, seats }, reader, undefined)
    expect(() => decisionStream({ audit, seats }, reader, undefined)).toThrow('2 others are open')
    await left.cancel()
    await vi.advanceTimersByTimeAsync(20_000)
    vi.useRealTimers()
    const textOf = async (stream: ReadableStream<Uint8Array>) => new Response(stream).text()
    seats.close()
    expect(await textOf(stays)).toContain(': still here')
    await decisionStream({ audit, seats }, reader, undefined).cancel()
  })

  it('requires the scope, takes only an id, and answers HEAD without a stream', async () => {
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
