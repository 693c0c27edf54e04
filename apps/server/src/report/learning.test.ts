import type { ApprovalReport, Flag, Suggestion } from '@pml/core/schemas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, block, callerWith, reject, spend, type Caller } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

let registry: TestRegistry
let hook: Caller
let guard: Caller

beforeAll(async () => {
  registry = await startRegistry()
  hook = await callerWith(registry, ['hook'])
  guard = await callerWith(registry, ['approve', 'pattern'], 'testguard')
})
afterAll(() => registry.stop())

async function flagsOf(who: string): Promise<string[]> {
  const { body } = await guard.send('GET', '/audit/flags?days=1')
  return (body['flags'] as Flag[]).filter((flag) => flag.who === who).map(({ flag }) => flag)
}

async function suggestions(): Promise<Suggestion[]> {
  const { body } = await guard.send('GET', '/approvals/suggestions')
  return body['suggestions'] as Suggestion[]
}

describe('the report after real requests', () => {
  it('counts blocks and decisions', async () => {
    const used = await block(hook)
    const { body } = await approve(guard, used.id)
    await spend(hook, { ...used, token: body.token })
    await reject(guard, (await block(hook)).id, { reason: 'Meaningless placeholder' })
    await block(hook)
    const report = (await guard.send('GET', '/audit/report?days=1')).body as unknown as ApprovalReport
    expect(report.totals).toEqual({ blocked: 3, approved: 1, rejected: 1, used: 1, open: 1, expired: 0 })
    expect(report.specialists).toMatchObject([{ specialist: 'testguard', approved: 1, rejected: 1 }])
    expect(report.rejectionReasons).toMatchObject([{ reason: 'Meaningless placeholder', count: 1 }])
  })

  it('flags approvals that are too fast, and an agent that asked until it was approved', async () => {
    const asked = { path: 'src/again.test.ts', agent: 'insister' }
    for (let tries = 0; tries < 3; tries++) await reject(guard, (await block(hook, asked)).id)
    const { id } = await block(hook, asked)
    await approve(guard, id)
    await registry.db.sql`update change set blocked_at = decided_at - interval '1 second' where id = ${id}`
    expect(await flagsOf('insister')).toEqual(['many_rejections'])
    expect(await flagsOf('testguard')).toEqual(['fast_approval'])
  })

  it('flags attempts to approve own changes, or under another name', async () => {
    const both = await callerWith(registry, ['hook', 'approve'], 'both')
    const { id } = await block(both)
    expect((await approve(both, id)).status).toBe(403)
    expect((await approve(both, id, { approver: 'testguard' })).status).toBe(403)
    expect(await flagsOf(both.id)).toEqual(['self_approval', 'wrong_name'])
  })

  it('flags guessed tokens', async () => {
    const guesser = await callerWith(registry, ['hook'])
    const blocked = await block(guesser)
    for (let guess = 0; guess < 4; guess++) await spend(guesser, { ...blocked, token: `no-${guess}` })
    expect(await flagsOf(guesser.id)).toEqual([])
    await spend(guesser, { ...blocked, token: 'no-4' })
    expect(await flagsOf(guesser.id)).toEqual(['guessing'])
  })

  it('flags changes with invisible characters', async () => {
    await block(hook, { content: 'const admin\u202e = \u200b1\n', agent: 'hider' })
    expect(await flagsOf('hider')).toEqual(['invisible_characters'])
  })
})

describe('learning', () => {
  const content = (word: string) => `expect(total('${word}')).toBe(3)\n`
  const words = ['one', 'two', 'three', 'four', 'five']

  it('suggests a pattern for repeated approvals; once added, it allows the next write', async () => {
    for (const word of words) {
      expect(await suggestions()).toEqual([])
      await approve(guard, (await block(hook, { content: content(word), path: `src/${word}.ts` })).id)
    }
    const [{ pattern, type, approvals, examples } = {} as Suggestion, ...more] = await suggestions()
    expect([type, approvals, examples.map(({ path }) => path), more]).toEqual([
      'other',
      5,
      words.map((word) => `src/${word}.ts`).toReversed(),
      [],
    ])
    const next = { content: content('six'), path: 'src/six.ts' }
    expect((await spend(hook, next)).status).toBe(409)
    const request = { kind: 'approve', type, pattern, reason: 'Five of them', example: content('one') }
    expect((await guard.send('POST', '/approvals/patterns', request)).status).toBe(201)
    expect(await spend(hook, next)).toMatchObject({ status: 200, body: { via: 'pattern' } })
    expect(await suggestions()).toEqual([])
    expect((await guard.send('GET', '/audit/report')).body['patterns']).toMatchObject([{ pattern, uses: 1 }])
  })

  it('flags an agent that uses one pattern in a loop', async () => {
    for (let uses = 0; uses < 20; uses++)
      await hook.send('POST', '/approvals/spend', {
        content: content(`loop ${uses}`),
        path: 'src/loop.ts',
        agent: 'looper',
      })
    expect(await flagsOf('looper')).toEqual(['pattern_abuse'])
  })
})
