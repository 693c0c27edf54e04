import type { ToolName } from '@pml/core'
import type { Operation } from '../approvals/approval.ts'
import type { Fetched } from '../api.ts'
import type { Parts } from '../fetching/parts.ts'
import type { Ops } from '../ops.ts'
import type { DepsFile } from './deps-file.ts'
import type { Sessions } from './sessions.ts'

/** What running needs besides fetching. */
export interface CallParts extends Parts {
  readonly ops: Ops
  readonly deps: DepsFile
  readonly sessions: Sessions
  /** Where npm trees are installed, for all workspaces of a user. */
  readonly treesFolder: string
  /** Where Deno keeps what it compiles. */
  readonly denoFolder: string
  /** The key goes to the registry's own origin only. */
  readonly apiKey: string | undefined
  readonly version: string
  /** Ends everything that was started. */
  readonly lifetime: AbortSignal
}

export interface CallLimits {
  readonly timeoutMs: number
  readonly memoryMb: number
  readonly signal: AbortSignal
}

/** An entry that was verified, and what it is asked to do. */
export interface Call {
  readonly fetched: Fetched
  readonly tool: ToolName
  readonly args: Readonly<Record<string, unknown>>
  readonly operation: Operation
  readonly limits: CallLimits
}

export interface Answer {
  readonly result: unknown
  readonly content?: readonly unknown[]
}
