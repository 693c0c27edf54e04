import type { McpSession } from '../../mcp/mcp-session.ts'
import type { Inspection, ServerStatus } from './server-status.ts'

/** How to start, inspect and supervise a server. */
export interface Supervision {
  readonly name: string
  /** Opens a session. The signal aborts the start and later ends the session. */
  start(signal: AbortSignal): Promise<McpSession>
  /** Inspects a new session, and again when the server reports changed tools. */
  inspect(session: McpSession): Promise<Inspection>
  readonly timing: Timing
  now(): Date
}

export interface Timing {
  /** The interval between pings of a running server. */
  readonly checkEveryMs: number
  readonly checkTimeoutMs: number
  /** Consecutive failures after which calls are refused at once. */
  readonly failuresToOpen: number
  /** The delay before the first restart; it doubles with each further one. */
  readonly firstBackoffMs: number
  readonly longestBackoffMs: number
  /** How long it may be idle before it is ended; undefined: it always runs and is restarted. */
  readonly idleMs: number | undefined
}

/** A server that is started, pinged and restarted as needed. */
export interface SupervisedServer {
  readonly name: string
  readonly status: ServerStatus
  /** The inspection of the latest session, also after its end. */
  readonly inspection: Inspection | undefined
  /**
   * Returns an inspected session, and starts the server unless it runs. Throws at once if it failed too often. Its calls
   * count as in flight.
   */
  open(waiting: AbortSignal): Promise<McpSession>
  /** Starts the server unless it runs, and pings it once. Never calls a tool. */
  check(waiting: AbortSignal): Promise<ServerStatus>
  /** Calls the listener after every change of status or inspection. Returns a function that stops listening. */
  onChange(listener: () => void): () => void
  /** Refuses new calls, waits `graceMs` for calls in flight, and ends the server. False if calls were aborted. */
  close(graceMs: number): Promise<boolean>
}
