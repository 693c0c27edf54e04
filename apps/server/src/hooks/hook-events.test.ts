import { randomUUID } from 'node:crypto'
import type { EnforcementEvent } from '@pml/hooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callerWith, send, type Caller } from '../../test/approvals.ts'
import { exportLines, tamper, verifyLines } from '../../test/audit.ts'
import { openTestLogKey, startRegistry, type TestRegistry } from '../../test/registry.ts'
import { rotateAudit } from '../audit/rotate-audit.ts'

let one: TestRegistry
let two: TestRegistry
let hook: Caller
let elsewhere: Caller
let reviewer: Caller

beforeAll(async () => {
  one = await startRegistry()
  two = await startRegistry({ databaseUrl: one.databaseUrl })
  hook = await callerWith(one, ['hook'])
  elsewhere = { ...hook, send: (method, path, body) => send(`${two.url}${path}`, hook.key, { method, body }) }
  reviewer = await callerWith(one, ['approve'])
})
afterAll(async () => {
  await two.stop()
  await one.stop()
})

const event = (more: Partial<EnforcementEvent> = {}): EnforcementEvent => ({
  id: randomUUID(),
  at: '2026-01-31T12:00:00.000Z',
  action: 'blocked',
  agent: 'claude',
  session: 'session-1',
  rule: 'EXECUTABLE_IN_WORKSPACE',
  tool: 'Write',
  subject: '/workspace/send.js',
  reason: 'Executables belong into an MCP server',
  ...more,
})
/** Events in a unique session. */
const batchOf = (count: number) => {
  const session = randomUUID()
  return Array.from({ length: count }, (_, index) => event({ session, subject: `/workspace/${index}.js` }))
}
const tell = (events: readonly unknown[], caller = hook) => caller.send('POST', '/hooks/events', { events })
const found = async (q: string, more = '') => {
  const { body } = await reviewer.send('GET', `/audit?limit=100&q=${encodeURIComponent(q)}${more}`)
  return (body['events'] as { action: string; actor: string; subject: string; detail: object }[]).toReversed()
}
const sessionOf = ([first]: readonly EnforcementEvent[]) => first?.session ?? ''

describe('a hook event', () => {
  it('is in the audit log with agent, session, rule, tool, reason, its time and the key', async () => {
    const actions = ['blocked', 'allowed', 'corrected', 'refused', 'unreachable'] as const
    const session = randomUUID()
    const events = actions.map((action) => event({ action, session, agent: 'codex', rule: `RULE_${action}` }))
    expect(await tell(events)).toEqual({ status: 200, body: { accepted: 5, known: 0 } })
    const rows = await found(session)
    expect(rows).toMatchObject(
      events.map(({ action, subject, at, agent, rule, tool, reason }) => ({
        action: `hook.${action}`,
        actor: hook.id,
        subject,
        detail: { at, agent, session, rule, tool, reason },
      })),
    )
    expect(rows.map(({ detail }) => Object.keys(detail).toSorted())).toEqual(
      actions.map(() => ['agent', 'at', 'reason', 'rule', 'session', 'tool']),
    )
  })

  it('keeps the order in which it was sent', async () => {
    const events = batchOf(100)
    await tell(events)
    expect((await found(sessionOf(events))).map(({ subject }) => subject)).toEqual(
      events.map(({ subject }) => subject),
    )
    const signer = await openTestLogKey(one.db, one.databaseUrl)
    expect(verifyLines(await exportLines(one.db, signer))).toMatchObject({ ok: true })
  })

  it('is found by agent, session or rule', async () => {
    const rule = `RULE_${randomUUID()}`
    const [session, other] = [randomUUID(), randomUUID()]
    await tell([event({ rule, session, agent: 'gemini' }), event({ rule, session: other, agent: 'cursor' })])
    expect(await found(rule)).toHaveLength(2)
    expect(await found(session)).toMatchObject([{ detail: { agent: 'gemini' } }])
    expect(await found('cursor', `&subject=${encodeURIComponent('/workspace/send.js')}`)).toMatchObject([
      { detail: { session: other } },
    ])
  })

  it('is counted by rule in the report', async () => {
    const rule = `COUNTED_${randomUUID()}`
    const blocked = (['windsurf', 'claude', 'claude'] as const).map((agent) => event({ rule, agent }))
    await tell([...blocked, event({ rule, action: 'allowed' })])
    const { body } = await reviewer.send('GET', '/audit/report?days=1')
    expect(body['blockedByRule']).toContainEqual({ rule, count: 3, agents: ['claude', 'windsurf'] })
  })
})

describe('an event that is sent again', () => {
  it('is stored once, for any sender and spelling of its id', async () => {
    const events = batchOf(3)
    const upper = events.map((one) => ({ ...one, id: one.id.toUpperCase() }))
    expect((await tell(events)).body).toEqual({ accepted: 3, known: 0 })
    expect((await tell(upper)).body).toEqual({ accepted: 0, known: 3 })
    expect((await tell(events, await callerWith(one, ['hook']))).body).toEqual({ accepted: 0, known: 3 })
    expect(await found(sessionOf(events))).toHaveLength(3)
  })

  it('is stored once if a batch has it twice, and new events of the batch are stored', async () => {
    const [first, second, third] = batchOf(3) as [EnforcementEvent, EnforcementEvent, EnforcementEvent]
    await tell([second])
    const again = [first, second, { ...first, subject: 'forged' }, third]
    expect((await tell(again)).body).toEqual({ accepted: 2, known: 2 })
    expect((await found(sessionOf(again))).map(({ subject }) => subject)).toEqual(
      [second, first, third].map(({ subject }) => subject),
    )
  })

  it('is stored once if two replicas receive it at the same time', async () => {
    const batches = Array.from({ length: 20 }, () => batchOf(50))
    const answers = await Promise.all(batches.flatMap((events) => [tell(events), tell(events, elsewhere)]))
    const accepted = answers.map(({ body }) => body['accepted'] as number)
    expect(accepted.reduce((sum, count) => sum + count)).toBe(20 * 50)
    for (const events of batches)
      expect((await found(sessionOf(events))).map(({ subject }) => subject)).toEqual(
        events.map(({ subject }) => subject),
      )
  })

  it('is stored once if a concurrent batch has another order', async () => {
    const events = batchOf(9)
    const { sql } = one.db
    const areWaiting = async () =>
      (
        await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      ).length
    let answers: ReturnType<typeof tell>[] = []
    await sql.begin(async (tx) => {
      await tx`insert into hook_event (id) values (${events[4]?.id ?? ''})`
      answers = [tell(events), tell(events.toReversed(), elsewhere)]
      await expect.poll(areWaiting).toBe(2)
      await tx`delete from hook_event where id = ${events[4]?.id ?? ''}`
    })
    const accepted = (await Promise.all(answers)).map(({ body }) => body['accepted'])
    expect(accepted.toSorted()).toEqual([0, 9])
  })

  it('is stored again only after retention has dropped the first', async () => {
    const [old, young] = [batchOf(1), batchOf(1)]
    await tell(old)
    await tamper(one.db, "update audit_event set at = at - interval '31 days'")
    await one.db.sql`update hook_event set at = at - interval '31 days'`
    await tell(young)
    expect((await tell(old)).body).toEqual({ accepted: 0, known: 1 })
    const signer = await openTestLogKey(one.db, one.databaseUrl)
    await exportLines(one.db, signer)
    await rotateAudit(one.db, { retentionDays: 30, signer })
    expect((await tell(young)).body).toEqual({ accepted: 0, known: 1 })
    expect((await tell(old)).body).toEqual({ accepted: 1, known: 0 })
  })
})

describe('a batch of events', () => {
  it('is refused without a key, and without the scope', async () => {
    const body = { events: [event()] }
    expect(await send(`${one.url}/hooks/events`, undefined, { body })).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    })
    expect(await reviewer.send('POST', '/hooks/events', body)).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    })
  })

  it.each([
    ['an invalid id', { id: 'event-1' }],
    ['an invalid time', { at: 'yesterday' }],
    ['a day without a time', { at: '2026-01-31' }],
    ['an unknown action', { action: 'approved' }],
    ['an unknown agent', { agent: 'nobody' }],
    ['no rule', { rule: '' }],
    ['a session that is a number', { session: 7 }],
    ['a long subject', { subject: 'x'.repeat(501) }],
    ['a long reason', { reason: 'x'.repeat(2001) }],
    ['an unknown field', { content: 'secret' }],
  ])('is refused whole with %s', async (_, wrong) => {
    const [good] = batchOf(1)
    const answer = await tell([good, { ...good, ...wrong }])
    expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_body' } })
    expect(answer.body.message).toContain('events.1')
    expect(await found(good?.session ?? '')).toEqual([])
  })

  it('is refused without events, with more than 100, with NUL, and over the size limit', async () => {
    expect(await tell([])).toMatchObject({ status: 422 })
    expect(await tell(batchOf(101))).toMatchObject({ status: 422, body: { error: 'invalid_body' } })
    expect(await tell([event({ reason: 'a\0b' })])).toMatchObject({ status: 400 })
    expect(await tell([event({ reason: 'x'.repeat(4 * 1024 * 1024) })])).toMatchObject({
      status: 413,
      body: { error: 'too_large' },
    })
    expect(await hook.send('POST', '/hooks/events', [])).toMatchObject({ status: 422 })
    expect(await hook.send('GET', '/hooks/events')).toMatchObject({ status: 405 })
  })
})
