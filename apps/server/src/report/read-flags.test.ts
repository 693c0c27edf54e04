import type { Flag, FlagList } from '@pml/core/schemas'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  clearChanges,
  putChange,
  putEvent,
  putPattern,
  secondsAgo,
  type TestChange,
  type TestEvent,
} from '../../test/changes.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

let registry: TestRegistry
/** An admin key without a specialist, which does not count as another approver. */
let admin: { Authorization: string }

beforeAll(async () => {
  registry = await startRegistry()
  admin = await registry.key('admin')
})
beforeEach(() => clearChanges(registry.db))
afterAll(() => registry.stop())

async function flags(query = ''): Promise<Flag[]> {
  const response = await registry.fetch(`/audit/flags${query}`, { headers: admin })
  expect(response.status).toBe(200)
  return ((await response.json()) as FlagList).flags
}

const put = (request: TestChange) => putChange(registry.db, request)
const tell = (request: TestEvent) => putEvent(registry.db, request)
const HOUR = 3600
const DAY = 24 * HOUR
/** Slow enough not to be flagged as fast. */
const CALM = 60
const idsIn = ({ evidence }: Flag) => evidence.map(({ changeId, eventId }) => changeId ?? eventId)

describe('many_rejections', () => {
  const path = 'src/cart.test.ts'
  /** Inserts a change decided this many seconds ago. */
  const decide = (ago: number, status: 'rejected' | 'approved', request: TestChange = {}) =>
    put({
      path,
      agent: 'claude',
      blockedAt: secondsAgo(ago + CALM),
      decidedAfterSeconds: CALM,
      status,
      ...request,
    })

  it('flags an agent that asked for a path until it was approved', async () => {
    const ids = []
    for (const hours of [25, 9, 8]) ids.push(await decide(hours * HOUR, 'rejected'))
    ids.push(await decide(HOUR, 'approved'))
    expect(await flags()).toEqual([
      {
        flag: 'many_rejections',
        severity: 'warning',
        whoKind: 'agent',
        who: 'claude',
        sentence: 'The agent claude had 3 rejections for src/cart.test.ts and then 1 approval within a day',
        count: 1,
        evidence: ids.toReversed().map((changeId) => ({ changeId, at: expect.any(String) })),
      },
    ])
  })

  it('flags a session with several agent names, and reports each approval once', async () => {
    for (const [hours, agent] of [3, 2, 1].map((hours) => [hours, `a${hours}`] as const))
      await decide(hours * HOUR, 'rejected', { agent, session: 's1' })
    await decide(60, 'approved', { agent: 'a9', session: 's1' })
    expect(await flags()).toMatchObject([{ whoKind: 'session', who: 's1', count: 1 }])
    for (const hours of [5, 4, 3]) await decide(hours * HOUR, 'rejected', { agent: 'a9' })
    expect(await flags()).toMatchObject([{ whoKind: 'agent', who: 'a9', count: 1 }])
  })

  it.each<[string, (() => Promise<unknown>)[]]>([
    ['two rejections', [() => decide(3 * HOUR, 'rejected'), () => decide(2 * HOUR, 'rejected')]],
    [
      'a third one more than a day before',
      [
        () => decide(DAY + HOUR + 1, 'rejected'),
        () => decide(3 * HOUR, 'rejected'),
        () => decide(2 * HOUR, 'rejected'),
      ],
    ],
    [
      'a third one for another path',
      [
        () => decide(4 * HOUR, 'rejected', { path: 'src/other.ts' }),
        () => decide(3 * HOUR, 'rejected'),
        () => decide(2 * HOUR, 'rejected'),
      ],
    ],
    [
      'a third one of another agent',
      [
        () => decide(4 * HOUR, 'rejected', { agent: 'codex' }),
        () => decide(3 * HOUR, 'rejected'),
        () => decide(2 * HOUR, 'rejected'),
      ],
    ],
    [
      'a third one after the approval',
      [() => decide(60, 'rejected'), () => decide(3 * HOUR, 'rejected'), () => decide(2 * HOUR, 'rejected')],
    ],
  ])('ignores %s', async (_, rejections) => {
    for (const reject of rejections) await reject()
    await decide(HOUR, 'approved')
    expect(await flags()).toEqual([])
  })

  it('counts by the time of the approval', async () => {
    for (const hours of [70, 60, 50]) await decide(hours * HOUR, 'rejected')
    await decide(49 * HOUR, 'approved')
    expect(await flags('?days=2')).toEqual([])
    expect(await flags('?days=3')).toHaveLength(1)
  })

  it('has one flag per path', async () => {
    const other = { path: 'src/other.test.ts' }
    for (const hours of [4, 3]) await decide(hours * HOUR, 'rejected')
    for (const hours of [4, 3, 2]) await decide(hours * HOUR, 'rejected', other)
    for (const hours of [4, 3, 2]) await decide(hours * HOUR, 'rejected', { agent: 'codex' })
    const approved = await decide(HOUR, 'approved')
    expect(await flags()).toEqual([])
    await decide(2 * HOUR, 'rejected')
    const [found, ...more] = await flags()
    expect(found).toMatchObject({
      who: 'claude',
      sentence: expect.stringContaining('3 rejections for src/cart'),
    })
    expect([idsIn(found as Flag)[0], found?.evidence.length, more]).toEqual([approved, 4, []])
  })

  it('ignores agents without a name', async () => {
    for (const hours of [4, 3, 2]) await decide(hours * HOUR, 'rejected', { agent: '' })
    await decide(HOUR, 'approved', { agent: '' })
    expect(await flags()).toEqual([])
  })
})

describe('fast_approval', () => {
  it.each([
    [10, 2.999],
    [150, 2.999],
    [1000, 19.999],
    [3000, 59.999],
    [500_000, 59.999],
  ])('is %i bytes approved after %f s', async (sizeBytes, decidedAfterSeconds) => {
    const changeId = await put({ sizeBytes, decidedAfterSeconds })
    expect(await flags()).toMatchObject([{ flag: 'fast_approval', evidence: [{ changeId }] }])
  })

  it.each([
    [10, 3],
    [150, 3],
    [1000, 20],
    [3000, 60],
    [500_000, 60],
  ])('ignores %i bytes approved after %i s', async (sizeBytes, decidedAfterSeconds) => {
    await put({ sizeBytes, decidedAfterSeconds })
    expect(await flags()).toEqual([])
  })

  it('ignores rejections', async () => {
    await put({ status: 'rejected', decidedAfterSeconds: 1 })
    expect(await flags()).toEqual([])
  })

  it('includes the share of the specialist’s approvals', async () => {
    for (let slow = 0; slow < 5; slow++) await put({ decidedAfterSeconds: CALM })
    const fast = []
    for (let seconds = 1; seconds <= 4; seconds++)
      fast.push(await put({ sizeBytes: 500, decidedAfterSeconds: seconds }))
    const [found] = await flags()
    expect(found).toMatchObject({
      severity: 'warning',
      whoKind: 'specialist',
      who: 'testguard',
      sentence:
        'testguard decided 4 of 9 approvals (44 %) faster than a person can read, the fastest in 1.0 s',
      count: 4,
    })
    expect(idsIn(found as Flag).toSorted()).toEqual(fast.toSorted())
  })

  it.each([
    [4, 0, 'warning'],
    [5, 0, 'serious'],
    [5, 5, 'serious'],
    [5, 6, 'warning'],
  ])('is, where %i are fast and %i are not, %s', async (fast, slow, severity) => {
    for (let done = 0; done < fast; done++)
      await put({ decidedAfterSeconds: 1, status: 'used', usedAt: secondsAgo(60) })
    for (let done = 0; done < slow; done++) await put({ decidedAfterSeconds: CALM })
    expect(await flags()).toMatchObject([{ severity, count: fast }])
  })

  it('ignores imported approvals', async () => {
    const id = await put({ decidedAfterSeconds: 0 })
    await registry.db.sql`delete from change_request where change_id = ${id}`
    expect(await flags()).toEqual([])
  })

  it('has one flag per specialist, with the newest evidence first and limited', async () => {
    const ids = []
    for (let ago = 12; ago >= 1; ago--)
      ids.push(await put({ blockedAt: secondsAgo(ago * HOUR), decidedAfterSeconds: 1 }))
    await put({ decidedAfterSeconds: 1, specialist: 'security' })
    const [first, second] = await flags()
    expect([first?.who, second?.who]).toEqual(['testguard', 'security'])
    expect(first?.count).toBe(12)
    expect(idsIn(first as Flag)).toEqual(ids.toReversed().slice(0, 10))
  })
})

describe('one_approver', () => {
  const addKey = (
    id: string,
    request: { scopes?: string[]; revoked_at?: string; expires_at?: string } = {},
  ) =>
    registry.db.sql`insert into api_key ${registry.db.sql({
      id,
      name: id,
      secret_hash: id,
      scopes: ['approve'],
      specialist: 'security',
      origin: 'api',
      ...request,
    })}`
  const approveAll = async (count: number, request: TestChange = {}) => {
    for (let done = 0; done < count; done++)
      await put({ agent: 'claude', decidedBy: 'k1', decidedAfterSeconds: CALM, ...request })
  }
  beforeEach(async () => {
    await registry.db.sql`delete from api_key where 'approve' = any (scopes) or id = 'k2'`
    await addKey('k1')
  })

  it('flags five approvals of an agent by one key if another key approves too', async () => {
    await addKey('k2')
    await approveAll(5)
    expect(await flags()).toMatchObject([
      {
        flag: 'one_approver',
        severity: 'info',
        whoKind: 'agent',
        who: 'claude',
        sentence:
          'All 5 approvals of the agent claude came from testguard (key k1), although other keys may approve too',
        count: 5,
        evidence: Array.from({ length: 5 }, () => ({ changeId: expect.any(String) })),
      },
    ])
  })

  it('ignores four approvals, and approvals of two agents', async () => {
    await addKey('k2')
    await approveAll(4)
    await approveAll(4, { agent: 'codex' })
    expect(await flags()).toEqual([])
  })

  it('ignores approvals before the requested days', async () => {
    await addKey('k2')
    await approveAll(4)
    await approveAll(1, { blockedAt: secondsAgo(3 * DAY) })
    expect(await flags('?days=2')).toEqual([])
    expect(await flags('?days=4')).toHaveLength(1)
  })

  it('ignores an agent with one approval by another key', async () => {
    await addKey('k2')
    await approveAll(5)
    await approveAll(1, { decidedBy: 'k2' })
    expect(await flags()).toEqual([])
  })

  it.each([
    ['there is no other key', undefined],
    ['the other key is revoked', { revoked_at: secondsAgo(60).toISOString() }],
    ['the other key has expired', { expires_at: secondsAgo(60).toISOString() }],
    ['the other key may not approve', { scopes: ['hook', 'pattern'] }],
  ])('is empty if %s', async (_, other) => {
    if (other) await addKey('k2', other)
    await approveAll(5)
    expect(await flags()).toEqual([])
  })
})

describe('pattern_abuse', () => {
  const use = (ago: number, detail: Record<string, unknown> = {}, subject = 'pat_1') =>
    tell({
      action: 'pattern.use',
      subject,
      actor: 'hook1',
      at: secondsAgo(ago),
      detail: { path: 'a.ts', coverage: 1, agent: 'claude', ...detail },
    })

  it('flags an agent that uses a pattern 20 times within an hour', async () => {
    await putPattern(registry.db, { id: 'pat_1', pattern: '^it\\(' })
    const last = secondsAgo(60)
    for (let uses = 0; uses < 19; uses++) await use(HOUR + 60)
    expect(await flags()).toEqual([])
    const eventId = await tell({
      action: 'pattern.use',
      subject: 'pat_1',
      at: last,
      detail: { agent: 'claude', coverage: 1 },
    })
    const [found] = await flags()
    expect(found).toMatchObject({
      flag: 'pattern_abuse',
      severity: 'warning',
      whoKind: 'agent',
      who: 'claude',
      sentence: 'The agent claude used the pattern pat_1 (^it\\() 20 times within an hour',
      count: 20,
    })
    expect(found?.evidence).toHaveLength(10)
    expect(found?.evidence[0]).toEqual({ patternId: 'pat_1', eventId, at: last.toISOString() })
  })

  it('ignores 20 uses over more than an hour', async () => {
    await use(2 * HOUR)
    for (let uses = 0; uses < 18; uses++) await use(2 * HOUR - 1800)
    await use(HOUR - 1)
    expect(await flags()).toEqual([])
  })

  it('ignores 20 uses by two agents or of two patterns', async () => {
    for (let uses = 0; uses < 19; uses++) await use(600)
    await use(600, { agent: 'codex' })
    await use(600, {}, 'pat_2')
    expect(await flags()).toEqual([])
  })

  it('names the key if the agent is unknown', async () => {
    for (let uses = 0; uses < 20; uses++) await use(600, { agent: undefined })
    expect(await flags()).toMatchObject([{ whoKind: 'key', who: 'hook1' }])
  })

  it('flags a pattern that specialists overturn in more than a fifth of its uses', async () => {
    const pattern = { id: 'pat_1', pattern: '^x$', specialist: 'testguard' }
    await putPattern(registry.db, { ...pattern, uses: 9, overturned: 2 })
    const eventId = await tell({
      action: 'pattern.overturn',
      subject: 'pat_1',
      detail: { changeId: 'chg_1' },
    })
    expect(await flags()).toMatchObject([
      {
        flag: 'pattern_abuse',
        severity: 'serious',
        whoKind: 'specialist',
        who: 'testguard',
        sentence: 'Specialists overturned the pattern pat_1 (^x$) in 2 of 9 uses',
        count: 2,
        evidence: [{ patternId: 'pat_1', changeId: 'chg_1', eventId }],
      },
    ])
  })

  it.each([
    ['overturned once', { uses: 1, overturned: 1 }],
    ['overturned in a fifth of its uses', { uses: 10, overturned: 2 }],
    ['no longer in force', { uses: 2, overturned: 2, removedAt: secondsAgo(60) }],
  ])('ignores a pattern that was %s', async (_, request) => {
    await putPattern(registry.db, request)
    expect(await flags()).toEqual([])
  })

  it('flags an overturned pattern even if the log no longer has the evidence', async () => {
    const lastUsedAt = secondsAgo(60)
    const patternId = await putPattern(registry.db, { uses: 2, overturned: 2, lastUsedAt })
    expect(await flags()).toMatchObject([{ evidence: [{ patternId, at: lastUsedAt.toISOString() }] }])
  })

  it('flags a pattern that approved three contents of which it matched less than half', async () => {
    await putPattern(registry.db, { id: 'pat_1', pattern: 'x', specialist: 'testguard' })
    await use(600, { coverage: 0.499 })
    await use(500, { coverage: 0.07 })
    await use(400, { coverage: 0.5 })
    expect(await flags()).toEqual([])
    const eventId = await use(300, { coverage: 0.2 })
    const [found] = await flags()
    expect(found).toMatchObject({
      severity: 'warning',
      who: 'testguard',
      count: 3,
      sentence:
        'The pattern pat_1 (x) approved 3 contents of which it matched less than half, at worst only 7 %',
    })
    expect(found?.evidence[0]).toMatchObject({ patternId: 'pat_1', eventId })
  })
})

describe('refused decisions', () => {
  it('are serious for an asker who tried to approve their own change', async () => {
    const detail = { specialist: 'testguard', path: 'a.ts' }
    const first = await tell({ action: 'change.self_approval', actor: 'k1', at: secondsAgo(120), detail })
    const second = await tell({ action: 'change.self_approval', actor: 'k1', at: secondsAgo(60), detail })
    expect(await flags()).toMatchObject([
      {
        flag: 'self_approval',
        severity: 'serious',
        whoKind: 'key',
        who: 'k1',
        sentence:
          'testguard (key k1) tried 2 times to approve a change that it, its agent or its session asked for',
        count: 2,
        evidence: [{ eventId: second }, { eventId: first }],
      },
    ])
  })

  it('are a warning for a decision under another name', async () => {
    const detail = { specialist: 'testguard', approver: 'security', path: 'a.ts' }
    const eventId = await tell({ action: 'change.approver_mismatch', actor: 'k1', detail })
    expect(await flags()).toMatchObject([
      {
        flag: 'wrong_name',
        severity: 'warning',
        who: 'k1',
        sentence: 'testguard (key k1) tried once to decide under another name (security)',
        count: 1,
        evidence: [{ eventId }],
      },
    ])
  })

  it('ignore a specialist of the wrong type', async () => {
    await tell({ action: 'change.wrong_specialist', detail: { specialist: 'testguard' } })
    expect(await flags()).toEqual([])
  })
})

describe('guessing', () => {
  const refuse = (ago: number, detail: Record<string, unknown> = {}, actor = 'k1') =>
    tell({
      action: 'change.spend_refused',
      actor,
      at: secondsAgo(ago),
      detail: { error: 'not_approved', hasToken: true, path: 'a.ts', ...detail },
    })

  it('flags five invalid tokens within ten minutes', async () => {
    for (const ago of [660, 500, 400, 300]) await refuse(ago)
    expect(await flags()).toEqual([])
    const eventId = await refuse(60)
    const [found] = await flags()
    expect(found).toMatchObject({
      flag: 'guessing',
      severity: 'serious',
      whoKind: 'key',
      who: 'k1',
      sentence: 'The key k1 tried 5 tokens that were never issued',
      count: 5,
    })
    expect(found?.evidence[0]).toMatchObject({ eventId })
  })

  it.each<[string, () => Promise<unknown>]>([
    ['a fifth one more than ten minutes before', () => refuse(1101)],
    ['a fifth one of another key', () => refuse(450, {}, 'k2')],
    ['a fifth try without a token', () => refuse(450, { hasToken: false })],
    ['a fifth token that had expired', () => refuse(450, { error: 'expired' })],
  ])('ignores %s', async (_, fifth) => {
    for (const ago of [500, 500, 500, 500]) await refuse(ago)
    await fifth()
    expect(await flags()).toEqual([])
  })

  it('flags a rate-limited key once', async () => {
    await refuse(500)
    const eventId = await tell({ action: 'change.guess_limited', actor: 'k1', detail: { failures: 10 } })
    const [found] = await flags()
    expect(found).toMatchObject({
      severity: 'serious',
      sentence: 'The key k1 tried 1 token that were never issued and was rate-limited once',
    })
    expect(idsIn(found as Flag)).toContain(eventId)
  })
})

describe('invisible_characters', () => {
  it('are grouped by asker, and serious if approved', async () => {
    const changeId = await put({ agent: 'claude', invisible: 1 })
    await put({ agent: 'claude', invisible: 0 })
    expect(await flags()).toMatchObject([
      {
        flag: 'invisible_characters',
        severity: 'warning',
        whoKind: 'agent',
        who: 'claude',
        sentence: 'The agent claude asked for 1 change with invisible characters; 0 approved',
        count: 1,
        evidence: [{ changeId }],
      },
    ])
    await put({ agent: 'claude', invisible: 3, decidedAfterSeconds: CALM })
    expect(await flags()).toMatchObject([{ severity: 'serious', count: 2 }])
  })

  it('name the key if the agent is unknown, and are no more serious if rejected', async () => {
    await put({ key: 'h1', invisible: 2, decidedAfterSeconds: CALM, status: 'rejected' })
    expect(await flags()).toMatchObject([{ severity: 'warning', whoKind: 'key', who: 'h1' }])
  })
})

describe('flags', () => {
  it('are sorted by severity, and limited to the requested days', async () => {
    const at = secondsAgo(3 * DAY)
    await put({ blockedAt: at, invisible: 1 })
    await put({ blockedAt: at, decidedAfterSeconds: 1 })
    await tell({ action: 'change.approver_mismatch', at })
    await tell({ action: 'change.guess_limited', at })
    await tell({ action: 'change.self_approval', at })
    for (let uses = 0; uses < 20; uses++) await tell({ action: 'pattern.use', at, detail: { coverage: 0.1 } })
    expect((await flags('?days=4')).map(({ severity, flag }) => `${severity} ${flag}`)).toEqual([
      'serious self_approval',
      'serious guessing',
      'warning fast_approval',
      'warning pattern_abuse',
      'warning pattern_abuse',
      'warning wrong_name',
      'warning invisible_characters',
    ])
    expect(await flags('?days=2')).toEqual([])
  })

  it('are sorted by severity across kinds', async () => {
    await put({ decidedAfterSeconds: 1 })
    await put({ invisible: 1, decidedAfterSeconds: CALM })
    expect((await flags()).map(({ severity, flag }) => `${severity} ${flag}`)).toEqual([
      'serious invisible_characters',
      'warning fast_approval',
    ])
  })

  it('escape and shorten untrusted names', async () => {
    await put({ agent: `cl\u202eaude\u0007${'x'.repeat(150)}`, invisible: 1 })
    const [found] = await flags()
    expect(found?.sentence).toMatch(/^The agent cl\\u\{202e\}aude\\u\{7\}x+… asked for 1 change/)
    expect(found?.sentence.length).toBeLessThan(160)
  })

  it('are part of the report', async () => {
    await tell({ action: 'change.self_approval' })
    const response = await registry.fetch('/audit/report', { headers: admin })
    expect(await response.json()).toMatchObject({ flags: [{ flag: 'self_approval' }] })
  })
})
