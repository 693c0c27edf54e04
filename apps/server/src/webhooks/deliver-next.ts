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
  /** The pause before the first retry; it doubles with each one. */
  readonly firstPauseMs: number
}

/** The last delivered event of a webhook, and the lease of the process that delivers to it. */
interface Claim {
  readonly seq: number
  readonly attempts: number
  readonly lease: string
}

const PAGE = 100
const LEASE_S = 30
/** With a first pause of two seconds, the last attempt is more than an hour after the first. */
const MOST_ATTEMPTS = 12
const LONGEST_PAUSE_MS = 15 * 60_000

/** Sends a webhook its next events in order. The secret must be filled in. Returns true if there may be more. */
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
        deps.log.warn({ url: originOf(hook.url), seq: row.seq, problem }, 'a webhook refused a message')
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

/** Leases a webhook to one process. A new webhook starts at the end of the log. */
async function claimHook({ sql }: Database, url: string): Promise<Claim | undefined> {
  await sql`insert into webhook (url, seq) select ${url}, coalesce((select max(seq) from audit_link), 0)
    on conflict do nothing`
  const [row] = await sql<{ seq: string; attempts: number; lease: string }[]>`
    update webhook set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_S})
    where url = ${url} and lease_until < clock_timestamp() and next_at <= clock_timestamp()
    returning seq, attempts, lease_until::text as lease`
  return row && { seq: Number(row.seq), attempts: row.attempts, lease: row.lease }
}

/** Saves the progress and renews the lease; returns undefined if another process has it. */
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
  log.error({ url, seq: row.seq, problem }, 'a webhook refused every attempt; skipping the message')
  const detail = { url, seq: row.seq, problem, attempts: MOST_ATTEMPTS }
  await recordEvents(db.sql, [{ actor: 'system', action: 'webhook.give_up', subject: url, detail }])
}

function pauseAfter({ firstPauseMs }: DeliverDeps, attempts: number): number {
  const full = Math.min(firstPauseMs * 2 ** attempts, LONGEST_PAUSE_MS)
  return full * (0.75 + Math.random() / 4)
}

/** Returns the origin; the rest of a URL may be secret. */
function originOf(url: string): string {
  return new URL(url).origin
}
