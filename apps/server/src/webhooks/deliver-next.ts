import type { Webhook } from '@pml/core/approval-config'
import type { Logger } from 'pino'
import { eventOf } from '../changes/decision-event.ts'
import type { SealedEvents } from '../audit/follow-sealed.ts'
import type { SealedEvent } from '../audit/read-rows.ts'
import type { Database } from '../db/connect.ts'
import { recordEvents } from '../db/record-event.ts'
import { messageFor } from './webhook-message.ts'
import type { SendWebhook } from './send-webhook.ts'

export interface DeliverDeps {
  readonly db: Database
  readonly audit: Pick<SealedEvents, 'read'>
  readonly send: SendWebhook
  readonly log: Logger
  /** Before the first repetition; each later one waits twice as long. */
  readonly firstPauseMs: number
}

/** How far a webhook was told, and until when it is for the holder of the lease alone to tell it. */
interface Claim {
  readonly seq: number
  readonly attempts: number
  readonly lease: string
}

const PAGE = 100
const LEASE_S = 30
/** With a first pause of two seconds, the last try is more than an hour after the first. */
const MOST_ATTEMPTS = 12
const LONGEST_PAUSE_MS = 15 * 60_000

/** Tells a webhook, whose secret is filled in, what it does not know yet, in order. True when there may be more to tell at once. */
export async function deliverNext(deps: DeliverDeps, hook: Webhook): Promise<boolean> {
  let claim = await claimHook(deps.db, hook.url)
  if (!claim) return false
  const rows = await deps.audit.read(claim.seq, PAGE)
  for (const row of rows) {
    const event = eventOf(row)
    if (event && hook.events.includes(event)) {
      const held = await renew(deps.db, hook.url, claim)
      if (!held) return false
      claim = { ...claim, lease: held.lease }
      const problem = await deps.send(hook.url, messageFor(row, { secret: hook.secret, now: held.now }))
      if (problem !== undefined && claim.attempts + 1 < MOST_ATTEMPTS) {
        deps.log.warn({ url: originOf(hook.url), seq: row.seq, problem }, 'a webhook did not take a message')
        const pauseMs = pauseAfter(deps, claim.attempts)
        await release(deps.db, hook.url, { ...claim, attempts: claim.attempts + 1, pauseMs })
        return false
      }
      if (problem !== undefined) await giveUp(deps, { hook, row, problem })
    }
    claim = { ...claim, seq: row.seq, attempts: 0 }
  }
  await release(deps.db, hook.url, { ...claim, pauseMs: 0 })
  return rows.length === PAGE
}

/** A webhook that is new hears of what happens from now on. Of several processes one gets it, for a while. */
async function claimHook({ sql }: Database, url: string): Promise<Claim | undefined> {
  await sql`insert into webhook (url, seq) select ${url}, coalesce((select max(seq) from audit_link), 0)
    on conflict do nothing`
  const [row] = await sql<{ seq: string; attempts: number; lease: string }[]>`
    update webhook set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_S})
    where url = ${url} and lease_until < clock_timestamp() and next_at <= clock_timestamp()
    returning seq, attempts, lease_until::text as lease`
  return row && { seq: Number(row.seq), attempts: row.attempts, lease: row.lease }
}

/** Keeps what was told and goes on; undefined where the lease ran out and another has it. */
async function renew(
  { sql }: Database,
  url: string,
  { seq, lease }: Claim,
): Promise<{ lease: string; now: Date } | undefined> {
  const [row] = await sql<{ lease: string; now: string }[]>`
    update webhook set seq = ${seq}, lease_until = clock_timestamp() + make_interval(secs => ${LEASE_S})
    where url = ${url} and lease_until = ${lease}::timestamptz
    returning lease_until::text as lease, clock_timestamp()::text as now`
  return row && { lease: row.lease, now: new Date(row.now) }
}

async function release(
  { sql }: Database,
  url: string,
  { seq, attempts, lease, pauseMs }: Claim & { pauseMs: number },
): Promise<void> {
  await sql`update webhook set seq = ${seq}, attempts = ${attempts}, lease_until = '-infinity',
    next_at = clock_timestamp() + make_interval(secs => ${pauseMs / 1000})
    where url = ${url} and lease_until = ${lease}::timestamptz`
}

async function giveUp(
  { db, log }: DeliverDeps,
  { hook, row, problem }: { hook: Webhook; row: SealedEvent; problem: string },
): Promise<void> {
  const url = originOf(hook.url)
  log.error({ url, seq: row.seq, problem }, 'a webhook took none of many tries; the message is left out')
  const detail = { url, seq: row.seq, problem, attempts: MOST_ATTEMPTS }
  await recordEvents(db.sql, [{ actor: 'system', action: 'webhook.give_up', subject: url, detail }])
}

function pauseAfter({ firstPauseMs }: DeliverDeps, attempts: number): number {
  const full = Math.min(firstPauseMs * 2 ** attempts, LONGEST_PAUSE_MS)
  return full * (0.75 + Math.random() / 4)
}

/** The rest of an address may be a secret. */
function originOf(url: string): string {
  return new URL(url).origin
}
