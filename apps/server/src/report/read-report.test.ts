import type { ApprovalReport } from '@pml/core/schemas'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { clearChanges, putChange, putPattern, secondsAgo, type TestChange } from '../../test/changes.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

let registry: TestRegistry
let reviewer: { Authorization: string }

beforeAll(async () => {
  registry = await startRegistry()
  reviewer = await registry.key('approve')
})
beforeEach(() => clearChanges(registry.db))
afterAll(() => registry.stop())

async function report(query = ''): Promise<ApprovalReport> {
  const response = await registry.fetch(`/audit/report${query}`, { headers: reviewer })
  expect(response.status).toBe(200)
  return (await response.json()) as ApprovalReport
}

const put = (request: TestChange) => putChange(registry.db, request)
/** Noon UTC, this many days ago, so that no test depends on the time of day. */
const noon = (daysAgo: number) => new Date(secondsAgo(daysAgo * 86_400).setUTCHours(12, 0, 0, 0))
const dayOf = (date: Date) => date.toISOString().slice(0, 10)

describe('the report', () => {
  it('counts blocks and decisions per day and specialist', async () => {
    const [first, second] = [noon(3), noon(2)]
    await put({ blockedAt: first, decidedAfterSeconds: 60 })
    await put({ blockedAt: first, decidedAfterSeconds: 60, status: 'rejected' })
    await put({ blockedAt: first, decidedAfterSeconds: 86_400, specialist: 'security' })
    await put({ blockedAt: second })
    const { days, totals } = await report()
    expect(days).toEqual([
      {
        day: dayOf(first),
        blocked: 3,
        approved: 1,
        rejected: 1,
        specialists: [{ specialist: 'testguard', approved: 1, rejected: 1 }],
      },
      {
        day: dayOf(second),
        blocked: 1,
        approved: 1,
        rejected: 0,
        specialists: [{ specialist: 'security', approved: 1, rejected: 0 }],
      },
    ])
    expect(totals).toMatchObject({ blocked: 4, approved: 2, rejected: 1, open: 1 })
  })

  it('counts days in UTC', async () => {
    const midnight = noon(2).setUTCHours(0, 0, 0, 0)
    await put({ blockedAt: new Date(midnight - 1) })
    await put({ blockedAt: new Date(midnight) })
    for (const decidedAfterSeconds of [119, 120])
      await put({ blockedAt: new Date(midnight - 120_000), decidedAfterSeconds })
    const { days } = await report()
    expect(days.map(({ day, blocked, approved }) => [day, blocked, approved])).toEqual([
      [dayOf(noon(3)), 3, 1],
      [dayOf(noon(2)), 1, 1],
    ])
  })

  it('separates used, expired and valid approvals', async () => {
    const blockedAt = secondsAgo(7200)
    await put({ blockedAt, decidedAfterSeconds: 60, status: 'used', usedAt: secondsAgo(7000) })
    await put({ blockedAt, decidedAfterSeconds: 60, expiresAt: secondsAgo(60) })
    await put({ blockedAt, decidedAfterSeconds: 60, expiresAt: secondsAgo(-3600) })
    expect((await report()).totals).toEqual({
      blocked: 3,
      approved: 3,
      rejected: 0,
      used: 1,
      open: 0,
      expired: 1,
    })
  })

  it('still counts an expired approval whose change was reopened', async () => {
    await put({ decidedAfterSeconds: 60, status: 'blocked' })
    expect((await report()).totals).toMatchObject({ blocked: 1, approved: 1, open: 1 })
  })

  it('counts open changes of any age, and otherwise only its own days', async () => {
    const blockedAt = secondsAgo(86_400 + 600)
    await put({ blockedAt })
    await put({ blockedAt, decidedAfterSeconds: 60, status: 'rejected', reason: 'old' })
    await put({ blockedAt, decidedAfterSeconds: 60, status: 'used', usedAt: secondsAgo(86_400 + 300) })
    await put({ blockedAt, decidedAfterSeconds: 60, expiresAt: secondsAgo(86_400 + 300) })
    const short = await report('?days=1')
    expect(short.totals).toEqual({ blocked: 0, approved: 0, rejected: 0, used: 0, open: 1, expired: 0 })
    expect(short).toMatchObject({ days: [], specialists: [], rejectionReasons: [] })
    expect((await report('?days=2')).totals).toEqual({
      blocked: 4,
      approved: 2,
      rejected: 1,
      used: 1,
      open: 1,
      expired: 1,
    })
  })

  it('measures how long decisions took, in total and per specialist', async () => {
    for (const decidedAfterSeconds of [10, 20, 30, 40])
      await put({ blockedAt: secondsAgo(7200), decidedAfterSeconds })
    await put({ blockedAt: secondsAgo(7200), decidedAfterSeconds: 600, specialist: 'security' })
    const { timeToDecision, specialists } = await report()
    expect(timeToDecision).toEqual({
      count: 5,
      medianSeconds: 30,
      p90Seconds: expect.closeTo(376),
      fastestSeconds: 10,
      slowestSeconds: 600,
    })
    expect(specialists).toEqual([
      {
        specialist: 'testguard',
        approved: 4,
        rejected: 0,
        medianSeconds: 25,
        p90Seconds: expect.closeTo(37),
      },
      { specialist: 'security', approved: 1, rejected: 0, medianSeconds: 600, p90Seconds: 600 },
    ])
  })

  it('counts an imported approval, but not its duration', async () => {
    const id = await put({ decidedAfterSeconds: 0 })
    await registry.db.sql`delete from change_request where change_id = ${id}`
    expect(await report()).toMatchObject({
      totals: { approved: 1 },
      timeToDecision: { count: 0, medianSeconds: null },
      specialists: [{ approved: 1, medianSeconds: null, p90Seconds: null }],
    })
  })

  it('names the key if a decision has no specialist', async () => {
    await put({ decidedAfterSeconds: 60, specialist: null, decidedBy: '3f9c2a' })
    expect((await report()).specialists).toMatchObject([{ specialist: '3f9c2a' }])
  })

  it('groups rejection reasons that differ in case and outer spaces, in their latest spelling', async () => {
    const reject = (reason: string, ago: number) =>
      put({ blockedAt: secondsAgo(ago), decidedAfterSeconds: 60, status: 'rejected', reason })
    const ids = [
      await reject('Meaningless placeholder', 900),
      await reject('  meaningless PLACEHOLDER\n', 800),
      await reject('Meaningless Placeholder', 700),
    ]
    await reject('No assertion', 600)
    expect((await report()).rejectionReasons).toEqual([
      { reason: 'Meaningless Placeholder', count: 3, changeIds: ids.toReversed() },
      { reason: 'No assertion', count: 1, changeIds: [expect.any(String)] },
    ])
  })

  it('lists the 20 most frequent reasons, with 5 examples each', async () => {
    for (let reason = 0; reason < 21; reason++)
      for (let time = 0; time < (reason === 20 ? 6 : 1); time++)
        await put({ decidedAfterSeconds: 60, status: 'rejected', reason: `reason ${reason}` })
    const { rejectionReasons } = await report()
    expect(rejectionReasons).toHaveLength(20)
    expect(rejectionReasons[0]).toMatchObject({ reason: 'reason 20', count: 6 })
    expect(rejectionReasons[0]?.changeIds).toHaveLength(5)
  })

  it('lists active patterns with their counts, most used first', async () => {
    const lastUsedAt = secondsAgo(60)
    await putPattern(registry.db, { id: 'pat_new', pattern: '^new$' })
    await putPattern(registry.db, { id: 'pat_old', pattern: '^old$', uses: 8, overturned: 2, lastUsedAt })
    await putPattern(registry.db, { id: 'pat_gone', uses: 99, removedAt: secondsAgo(60) })
    const shared = { kind: 'approve', type: 'test' }
    expect((await report()).patterns).toEqual([
      {
        ...shared,
        id: 'pat_old',
        pattern: '^old$',
        uses: 8,
        overturned: 2,
        lastUsedAt: lastUsedAt.toISOString(),
        effectiveness: 0.75,
      },
      {
        ...shared,
        id: 'pat_new',
        pattern: '^new$',
        uses: 0,
        overturned: 0,
        lastUsedAt: null,
        effectiveness: null,
      },
    ])
  })

  it('is empty for an empty registry', async () => {
    const { since, until, ...rest } = await report('?days=7')
    expect(Date.parse(until) - Date.parse(since)).toBe(7 * 86_400_000)
    expect(rest).toEqual({
      totals: { blocked: 0, approved: 0, rejected: 0, used: 0, open: 0, expired: 0 },
      days: [],
      specialists: [],
      timeToDecision: {
        count: 0,
        medianSeconds: null,
        p90Seconds: null,
        fastestSeconds: null,
        slowestSeconds: null,
      },
      blockedByRule: [],
      rejectionReasons: [],
      patterns: [],
      disabledPatterns: [],
      suggestions: [],
      flags: [],
    })
  })

  it('has totals that equal the sums of its days', async () => {
    const request = fc.record(
      {
        blockedAt: fc.integer({ min: 1, max: 40 * 86_400 }).map(secondsAgo),
        decidedAfterSeconds: fc.integer({ min: 0, max: 86_400 }),
        status: fc.constantFrom('approved' as const, 'rejected' as const),
        specialist: fc.constantFrom('testguard', 'security', null),
      },
      { requiredKeys: ['blockedAt'] },
    )
    const sumsAgree = async (requests: TestChange[], days: number) => {
      await clearChanges(registry.db)
      for (const { status, ...rest } of requests)
        await put(rest.decidedAfterSeconds === undefined ? rest : { ...rest, ...(status && { status }) })
      const found = await report(`?days=${days}`)
      const { totals } = found
      const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)
      expect(totals.blocked).toBe(sum(found.days.map(({ blocked }) => blocked)))
      for (const key of ['approved', 'rejected'] as const) {
        const each = found.days.flatMap(({ specialists }) => specialists)
        for (const rows of [found.days, each, found.specialists])
          expect(totals[key]).toBe(sum(rows.map((row) => row[key])))
      }
      expect(found.timeToDecision.count).toBe(totals.approved + totals.rejected)
    }
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 12 }), fc.integer({ min: 1, max: 45 }), sumsAgree),
      { numRuns: 25 },
    )
  })
})

describe('the routes of the report', () => {
  const routes = ['/audit/report', '/audit/flags', '/approvals/suggestions']

  it.each(routes)('%s refuses callers without a key, and keys that may not approve', async (route) => {
    expect((await registry.fetch(route)).status).toBe(401)
    for (const scope of ['hook', 'pattern', 'read:acme']) {
      const response = await registry.fetch(route, { headers: await registry.key(scope) })
      expect([response.status, await response.json()]).toMatchObject([
        403,
        { error: 'forbidden', scope: 'approve' },
      ])
    }
    for (const scope of ['approve', 'admin'])
      expect((await registry.fetch(route, { headers: await registry.key(scope) })).status).toBe(200)
  })

  it.each(['days=0', 'days=366', 'days=abc', 'days=1.5', 'days=-1', 'days=', 'days=1&days=2'])(
    'refuse ?%s and name the parameter',
    async (query) => {
      for (const route of routes.slice(0, 2)) {
        const response = await registry.fetch(`${route}?${query}`, { headers: reviewer })
        expect([response.status, await response.json()]).toMatchObject([
          400,
          { error: 'invalid_query', parameter: 'days' },
        ])
      }
    },
  )

  it.each(routes)('%s refuses an unknown parameter', async (route) => {
    const response = await registry.fetch(`${route}?weeks=1`, { headers: reviewer })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'invalid_query', parameter: 'weeks' },
    ])
  })

  it('accept one day and one year', async () => {
    for (const days of [1, 365]) expect(await report(`?days=${days}`)).toHaveProperty('totals')
  })
})
