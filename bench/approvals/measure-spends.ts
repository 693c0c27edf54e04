import { createHash } from 'node:crypto'
import { connect, type Database } from '@pml/server/db/connect'
import { Pool } from 'undici'
import type { Bench } from '../bench.ts'
import { median } from '../median.ts'
import type { ApprovalRegistry, Sizes } from './measure-approvals.ts'
import type { Approved } from './seed-approvals.ts'

const CALLERS = 64
/** The number of approvals that one side spends in a round. */
const SPENDS = 960
const WARM_UPS = 6
const ROUNDS = 21

interface Round {
  readonly perSecond: number
  readonly latenciesMs: readonly number[]
}

type Spend = (approved: Approved) => Promise<void>

/** Spends over HTTP, compared with the same conditional UPDATE straight through the driver, with equally many callers. */
export async function measureSpends(bench: Bench, { small, large }: Sizes): Promise<void> {
  const db = connect(large.databaseUrl, { poolSize: 10 })
  const smallDb = connect(small.databaseUrl, { poolSize: 10 })
  bench.stops.add(db.close)
  bench.stops.add(smallDb.close)
  const overHttp = spendOverHttp(bench, large)
  if (bench.wanted.has('spend') || bench.wanted.has('spend-p99')) {
    const rounds = await inTurn([
      { registry: large, db, spend: overHttp },
      { registry: large, db, spend: spendByDriver(db) },
    ])
    tellRounds(bench, 'spend', rounds, ['registry', 'driver'])
    bench.report('spend', ratioOf(rounds))
    bench.report('spend-p99', p99Of(rounds, 0) / p99Of(rounds, 1))
  }
  if (bench.wanted.has('spend-growth')) {
    const rounds = await inTurn([
      { registry: large, db, spend: overHttp },
      { registry: small, db: smallDb, spend: spendOverHttp(bench, small) },
    ])
    tellRounds(bench, 'spend-growth', rounds, ['100,000 approvals', '1,000 approvals'])
    bench.report('spend-growth', ratioOf(rounds))
  }
}

interface Side {
  readonly registry: ApprovalRegistry
  readonly db: Database
  readonly spend: Spend
}

type Rounds = readonly (readonly [Round, Round])[]

/** Measures both sides in each round; they take turns in being first. */
async function inTurn([one, two]: readonly [Side, Side]): Promise<Rounds> {
  const rounds: [Round, Round][] = []
  for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
    const isFirst = round % 2 === 0
    const before = await runRound(isFirst ? one : two, round)
    const after = await runRound(isFirst ? two : one, round)
    if (round >= WARM_UPS) rounds.push(isFirst ? [before, after] : [after, before])
  }
  return rounds
}

/** Makes spent approvals valid again, so that every round finds the same number. */
async function runRound({ registry: { approvals }, db, spend }: Side, round: number): Promise<Round> {
  const wanted = Array.from({ length: SPENDS }, (_, index) => {
    return approvals[((round * SPENDS + index) * 7919) % approvals.length] as Approved
  })
  const latenciesMs: number[] = []
  const waiting = [...wanted]
  const began = performance.now()
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const start = performance.now()
        await spend(next)
        latenciesMs.push(performance.now() - start)
      }
    }),
  )
  const seconds = (performance.now() - began) / 1000
  await db.sql`update change set status = 'approved', used_at = null, used_by = null where status = 'used'`
  await db.sql`vacuum change`
  return { perSecond: SPENDS / seconds, latenciesMs }
}

function spendOverHttp({ stops }: Bench, { url, hookKey }: ApprovalRegistry): Spend {
  const pool = new Pool(url, { connections: CALLERS })
  stops.add(() => pool.close())
  const headers = { authorization: `Bearer ${hookKey}`, 'content-type': 'application/json' }
  return async ({ content, path, token }) => {
    const body = JSON.stringify({ content, path, token })
    const answer = await pool.request({ path: '/approvals/spend', method: 'POST', headers, body })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`Cannot spend: ${answer.statusCode} ${text}`)
  }
}

function spendByDriver({ sql }: Database): Spend {
  return async ({ contentHash, path, token }) => {
    const hash = createHash('sha256').update(token).digest('hex')
    const rows = await sql`
      update change set status = 'used', used_at = clock_timestamp(), used_by = 'bench'
      where content_hash = ${contentHash} and path = ${path} and status = 'approved'
        and expires_at > clock_timestamp() and token_hash = ${hash}
      returning id`
    if (rows.length !== 1) throw new Error('Cannot spend: the row is not there')
  }
}

function ratioOf(rounds: Rounds): number {
  return median(rounds.map(([one, two]) => one.perSecond / two.perSecond))
}

function p99Of(rounds: Rounds, side: 0 | 1): number {
  const all = rounds.flatMap((round) => round[side].latenciesMs).toSorted((a, b) => a - b)
  return all[Math.floor(all.length * 0.99)] ?? 0
}

function tellRounds(bench: Bench, name: string, rounds: Rounds, names: readonly [string, string]): void {
  for (const side of [0, 1] as const) {
    const perSecond = Math.round(median(rounds.map((round) => round[side].perSecond)))
    bench.tell(`${name}: ${names[side]} ${perSecond} spends/s, p99 ${p99Of(rounds, side).toFixed(1)} ms`)
  }
}
