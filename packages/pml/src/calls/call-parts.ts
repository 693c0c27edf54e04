import type { ToolName } from '@pml/core'
import type { Operation } from '../api/approval.ts'
import type { Fetched, CallOptions } from '../api/pml.ts'
import type { Person } from '../machine/person/person.ts'
import type { McpSession, Progress } from '../mcp/mcp-session.ts'
import type { ServerParts } from '../servers/server-parts.ts'
import type { Servers } from '../servers/servers.ts'
import type { Permission } from './call-request.ts'
import type { Supervision } from '../servers/supervise/supervised-server.ts'

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

/** Running servers of the registry, by exactly what was started, so that a second call need not start another. */
export interface Sessions {
  /** Waits until `waiting` ends. A start that nobody waits for any more is aborted. */
  open(key: string, starting: Starting, waiting: AbortSignal): Promise<McpSession>
  close(): Promise<void>
}

export type Starting = Pick<Supervision, 'name' | 'start' | 'inspect'>

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

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_MEMORY_MB = 512

export function limitsOf({ timeoutMs, memoryMb, signal }: CallOptions = {}): CallLimits {
  return {
    timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
    memoryMb: memoryMb ?? DEFAULT_MEMORY_MB,
    signal: signal ?? new AbortController().signal,
  }
}
