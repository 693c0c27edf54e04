import type { ToolName } from '@pml/core'
import type { Operation } from '../api/approval.ts'
import type { Fetched } from '../api/pml.ts'
import type { Person } from '../machine/person/person.ts'
import type { Progress } from '../mcp/mcp-session.ts'
import type { ServerParts } from '../servers/server-parts.ts'
import type { Servers } from '../servers/servers.ts'
import type { Permission } from './call-request.ts'
import type { Sessions } from './sessions.ts'

/** What calls need besides local servers. */
export interface CallParts extends ServerParts {
  readonly person: Person
  readonly sessions: Sessions
  /** Those that files on this machine describe; found when they are first asked for. */
  servers(): Promise<Servers>
  /** Where npm trees are installed, for all workspaces of a user. */
  readonly treesFolder: string
  /** Where each run of Deno has a folder of its own. */
  readonly denoFolder: string
  /** The key goes to the registry's own origin only. */
  readonly apiKey: string | undefined
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
