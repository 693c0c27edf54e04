import type { LogSigner } from '@pml/core/audit'
import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { followSealed, type SealedEvents } from './follow-sealed.ts'
import { startSealing } from './start-sealing.ts'

/** The audit log for verbs and routes. */
export interface Audit extends SealedEvents {
  readonly signer: LogSigner
  /** Seals new events within milliseconds instead of a quarter of a second. */
  poke(): void
}

export interface RunningAudit extends Audit {
  stop(): Promise<void>
}

export async function startAudit(
  db: Database,
  { log, retentionDays, signer }: { log: Logger; retentionDays: () => number; signer: LogSigner },
): Promise<RunningAudit> {
  const { look, stop, ...sealed } = await followSealed(db, log)
  const sealing = startSealing(db, { log, retentionDays, signer, onSealed: look })
  return {
    ...sealed,
    signer,
    poke: sealing.poke,
    stop: async () => {
      await sealing.stop()
      await stop()
    },
  }
}
