import type { LogSigner } from '@pml/core/audit'
import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { rotateAudit } from './rotate-audit.ts'
import { BATCH, trySealing } from './seal-events.ts'

interface Sealing {
  /** Seals within milliseconds. */
  poke(): void
  stop(): Promise<void>
}

interface SealingDeps {
  readonly log: Logger
  readonly onSealed: () => void
  readonly signer: LogSigner
  /** Returns the current retention. */
  readonly retentionDays: () => number
}

const POLL_MS = 250
/** Long enough to batch the events of several callers. */
const POKE_MS = 10
const ROTATE_MS = 3_600_000

/** Seals new events continuously and removes old ones every hour. Every replica tries; one at a time succeeds. */
export function startSealing(db: Database, { log, onSealed, retentionDays, signer }: SealingDeps): Sealing {
  let isPoked = false
  let isSealing = false
  let healthy = true
  let rotatedAt = -Infinity
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let round = Promise.resolve()

  async function seal(): Promise<void> {
    while (await hasPending()) {
      const sealed = await trySealing(db)
      if (sealed > 0) onSealed()
      if (sealed < BATCH || stopped) return
    }
  }

  async function hasPending(): Promise<boolean> {
    const [row] = await db.sql<{ some: boolean }[]>`select exists(select from audit_pending) as some`
    return row?.some === true
  }

  async function rotate(): Promise<void> {
    if (stopped || performance.now() - rotatedAt < ROTATE_MS) return
    rotatedAt = performance.now()
    const { removed } = await rotateAudit(db, { retentionDays: retentionDays(), signer })
    if (removed > 0) log.info({ removed }, 'removed old events from the audit log')
  }

  async function go(): Promise<void> {
    isSealing = true
    isPoked = false
    try {
      await seal()
      await rotate()
      healthy = true
    } catch (error) {
      if (healthy) log.error({ err: error }, 'cannot seal the audit log; will retry')
      healthy = false
    }
    isSealing = false
    plan(isPoked ? POKE_MS : POLL_MS)
  }

  function plan(inMs: number): void {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(() => (round = go()), inMs)
  }

  plan(0)
  return {
    poke: () => {
      if (isPoked) return
      isPoked = true
      if (!isSealing) plan(POKE_MS)
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await round
    },
  }
}
