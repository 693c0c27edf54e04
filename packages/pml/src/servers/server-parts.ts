import type { DepsFile } from '../workspace/consent.ts'
import type { Parts } from '../registry/parts.ts'
import type { Ops } from '../machine/ops.ts'
import type { ServersMode } from './supervise/servers-mode.ts'

/** The parts of a client that local servers take. */
export interface ServerParts extends Parts {
  readonly ops: Ops
  readonly deps: DepsFile
  /** How servers are started and supervised. */
  readonly mode: ServersMode
  readonly version: string
  /** Aborts when the client closes, which ends everything that was started. */
  readonly lifetime: AbortSignal
}
