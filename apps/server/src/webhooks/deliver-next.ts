import type { Webhook } from '@pml/core/approval-config'
import type { Logger } from 'pino'
import { eventOf } from '../approvals/decision-event.ts'
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

interface Claim {
  readonly seq: number
  readonly attempts: number
}

const PAGE = 100
const LEASE_S = 30
/** With a first pause of two seconds, the last try is more than an hour after the first. */
const MOST_ATTEMPTS = 12
const LONGEST_PAUSE_MS = 15 * 60_000

/** Tells a webhook, whose secret is filled in, what it does not know yet, in order. True when there may be more to tell at once. */
export async function deliverNext(deps: DeliverDeps, hook: Webhook): Promise<boolean> {
  const { secret } = hook
  const claim = await claimHook(deps.db, hook.url)
  if (!claim) return false
  const rows = await deps.audit.read(claim.seq, PAGE)
  let { seq, attempts } = claim
  for (const row of rows) {
    const event = eventOf(row)
    const problem = event && hook.events.includes(event) ? await tell(deps, { hook, row, secret }) : undefined
    if (problem !== undefined && attempts + 1 < MOST_ATTEMPTS) {
      deps.log.warn({ url: originOf(hook.url), seq: row.seq, problem }, 'a webhook did not take a message')
      await release(deps.db, hook.url, { seq, attempts: attempts + 1, pauseMs: pauseAfter(deps, attempts) })
      return false
    }
    if (problem !== undefined) await giveUp(deps, { hook, row, problem })
    seq = row.seq
    attempts = 0
  }
  await release(deps.db, hook.url, { seq, attempts, pauseMs: 0 })
  return rows.length === PAGE
}

/** A webhook that is new hears of what happens from now on. Of several processes one gets it, for a while. */
async function claimHook({ sql }: Database, url: string): Promise<Claim | undefined> {
  await sql`insert into webhook (url, seq) select ${url}, coalesce((select max(seq) from audit_link), 0)
    on conflict do nothing`
  const [row] = await sql<{ seq: string; attempts: number }[]>`
    update webhook set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_S})
    where url = ${url} and lease_until < clock_timestamp() and next_at <= clock_timestamp()
    returning seq, attempts`
  return row && { seq: Number(row.seq), attempts: row.attempts }
}

async function release(
  { sql }: Database,
  url: string,
  { seq, attempts, pauseMs }: Claim & { pauseMs: number },
): Promise<void> {
  await sql`update webhook set seq = ${seq}, attempts = ${attempts}, lease_until = '-infinity',
    next_at = clock_timestamp() + make_interval(secs => ${pauseMs / 1000}) where url = ${url}`
}

interface Delivery {
  readonly hook: Webhook
  readonly row: SealedEvent
  readonly secret: string
}

/** What went wrong; undefined when it was taken. The lease is renewed, so that nobody else tells the same. */
async function tell({ db, send }: DeliverDeps, { hook, row, secret }: Delivery): Promise<string | undefined> {
  const [clock] = await db.sql<{ now: string }[]>`
    update webhook set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_S})
    where url = ${hook.url} returning clock_timestamp()::text as now`
  return send(hook.url, messageFor(row, { secret, now: new Date(clock?.now ?? 0) }))
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
