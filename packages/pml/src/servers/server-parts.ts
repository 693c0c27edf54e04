import type { DepsFile } from '../workspace/consent.ts'
import type { Parts } from '../registry/parts.ts'
import type { Ops } from '../machine/ops.ts'
import type { ServersMode } from './supervise/servers-mode.ts'

/** What local servers need besides fetching. */
export interface ServerParts extends Parts {
  readonly ops: Ops
  readonly deps: DepsFile
  /** How long servers are kept, and how they are cared for. */
  readonly mode: ServersMode
  readonly version: string
  /** Ends everything that was started. */
  readonly lifetime: AbortSignal
}
