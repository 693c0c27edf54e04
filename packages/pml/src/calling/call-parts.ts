import type { ToolName } from '@pml/core'
import type { Operation } from '../approvals/approval.ts'
import type { Fetched } from '../api.ts'
import type { Parts } from '../fetching/parts.ts'
import type { Ops } from '../ops.ts'
import type { Person } from '../person/person.ts'
import type { Progress } from '../running/mcp-session.ts'
import type { ServersMode } from '../servers/servers-mode.ts'
import type { Servers } from '../servers/servers.ts'
import type { Permission } from './call-request.ts'
import type { DepsFile } from './deps-file.ts'
import type { Sessions } from './sessions.ts'

/** What running needs besides fetching. */
export interface CallParts extends Parts {
  readonly ops: Ops
  readonly person: Person
  readonly deps: DepsFile
  readonly sessions: Sessions
  /** Those that files on this machine describe; found when they are first asked for. */
  servers(): Promise<Servers>
  /** How long servers are kept, and how they are cared for. */
  readonly mode: ServersMode
  /** Where npm trees are installed, for all workspaces of a user. */
  readonly treesFolder: string
  /** Where each run of Deno has a folder of its own. */
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
  /** Hears how far the tool is, where it tells. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** An entry that was verified, and what it is asked to do. */
export interface Call {
  readonly fetched: Fetched
  readonly tool: ToolName
  readonly args: Readonly<Record<string, unknown>>
  readonly operation: Operation
  readonly permission: Permission
  readonly limits: CallLimits
}

export interface Answer {
  readonly result: unknown
  readonly content?: readonly unknown[]
}
