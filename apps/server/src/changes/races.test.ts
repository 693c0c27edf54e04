import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, block, callerWith, reject, spend, type Caller } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

let one: TestRegistry
let two: TestRegistry
let hook: Caller
let elsewhere: Caller
let guard: Caller

beforeAll(async () => {
  one = await startRegistry()
  two = await startRegistry({ databaseUrl: one.databaseUrl })
  hook = await callerWith(one, ['hook'])
  elsewhere = { ...hook, send: (await callerWith(two, ['hook'])).send }
  guard = await callerWith(one, ['approve'], 'guard')
})
afterAll(async () => {
  await two.stop()
  await one.stop()
})

/** Counts the outcomes of concurrent requests. */
async function outcomes(all: readonly Promise<{ status: number; body: { error?: string } }>[]) {
  const counts: Record<string, number> = {}
  for (const { status, body } of await Promise.all(all)) {
    const what = `${status} ${body.error ?? ''}`.trim()
    counts[what] = (counts[what] ?? 0) + 1
  }
  return counts
}

describe('over two replicas', () => {
  it('exactly one of 1,000 parallel spends of a token succeeds', async () => {
    const blocked = await block(hook)
    const { token } = (await approve(guard, blocked.id)).body
    const all = Array.from({ length: 1000 }, (_, index) =>
      spend(index % 2 === 0 ? hook : elsewhere, { ...blocked, token }),
    )
    expect(await outcomes(all)).toEqual({ '200': 1, '409 already_used': 999 })
  })

  it('100 approvals are spent once each, with and without tokens', async () => {
    const all = []
    for (let index = 0; index < 100; index++) {
      const blocked = await block(hook)
      const { token } = (await approve(guard, blocked.id)).body
      all.push({ ...blocked, token })
    }
    const tries = all.flatMap(({ content, path, token }) => [
      () => spend(hook, { content, path, token }),
      () => spend(elsewhere, { content, path }),
      () => spend(elsewhere, { content, path, token }),
    ])
    expect(await outcomes(tries.toReversed().map((attempt) => attempt()))).toEqual({
      '200': 100,
      '409 already_used': 200,
    })
  })

  it('a concurrent rejection and spend never both succeed', async () => {
    for (let round = 0; round < 20; round++) {
      const blocked = await block(hook)
      const { token } = (await approve(guard, blocked.id)).body
      const [rejected, spent] = await Promise.all([
        reject(guard, blocked.id),
        spend(elsewhere, { ...blocked, token }),
      ])
      expect([rejected.status, spent.status].toSorted()).toEqual([200, 409])
    }
  })

  it('a concurrent approval and new asker never let the asker approve its own change', async () => {
    for (let round = 0; round < 10; round++) {
      const both = await callerWith(one, ['hook', 'approve'], 'both')
      const blocked = await block(hook)
      const [, approved] = await Promise.all([block(both, blocked), approve(both, blocked.id)])
      const { body } = await hook.send('GET', `/approvals/changes/${blocked.id}`)
      const asked = (body['requests'] as { key: string; at: string }[]).find(({ key }) => key === both.id)
      if (approved.status === 403) expect(body['status']).toBe('blocked')
      else
        expect(Date.parse(asked?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(String(body['decidedAt'])) - 1)
    }
  })
})
