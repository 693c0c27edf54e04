import type { ToolName } from '@pml/core'
import type { Operation } from '../api/approval.ts'
import type { Fetched, CallOptions } from '../api/pml.ts'
import type { Person } from '../machine/person/person.ts'
import type { McpSession, Progress } from '../mcp/mcp-session.ts'
import type { ServerParts } from '../servers/server-parts.ts'
import type { Servers } from '../servers/servers.ts'
import type { Permission } from './call-request.ts'
import type { Supervision } from '../servers/supervise/supervised-server.ts'

/** The parts of a client that calls take. */
export interface CallParts extends ServerParts {
  readonly person: Person
  readonly sessions: Sessions
  /** The local servers; their files are read on first use. */
  servers(): Promise<Servers>
  /** The folder of installed npm trees, shared by all workspaces of a user. */
  readonly treesFolder: string
  /** The parent of the temporary folder of each Deno run. */
  readonly denoFolder: string
  /** Sent only to the registry's origin. */
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
  /** Called with the progress of the tool, if it reports any. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** A call of a verified entry. */
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
