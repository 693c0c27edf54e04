import type { DepsFile } from '../calling/deps-file.ts'
import type { Parts } from '../fetching/parts.ts'
import type { Ops } from '../ops.ts'
import type { ServersMode } from './servers-mode.ts'

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
