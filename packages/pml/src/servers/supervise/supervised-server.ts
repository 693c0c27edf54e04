import type { McpSession } from '../../mcp/mcp-session.ts'
import type { Inspection, ServerStatus } from './server-status.ts'

/** How a server is watched over. */
export interface Supervision {
  readonly name: string
  /** Starts or reaches it and greets it. The signal ends the starting, and the session. */
  start(signal: AbortSignal): Promise<McpSession>
  /** Looks at a new session, and again whenever the server says that its tools have changed. */
  inspect(session: McpSession): Promise<Inspection>
  readonly timing: Timing
  now(): Date
}

export interface Timing {
  /** Between checks of a server that runs. */
  readonly checkEveryMs: number
  readonly checkTimeoutMs: number
  /** Failed checks or starts in a row after which calls are refused at once. */
  readonly failuresToOpen: number
  /** Before the first restart; each further one waits twice as long. */
  readonly firstBackoffMs: number
  readonly longestBackoffMs: number
  /** After so long without a call it is ended; undefined: never, and it is started again whenever it ends. */
  readonly idleMs: number | undefined
}

/** One server, kept usable. */
export interface SupervisedServer {
  readonly name: string
  readonly status: ServerStatus
  /** Of the newest session; stays when that ends. */
  readonly inspection: Inspection | undefined
  /**
   * A session that is inspected and runs; it is started where none does. Whoever waits is told why at once when it failed
   * too often. Calls through it count as in flight.
   */
  open(waiting: AbortSignal): Promise<McpSession>
  /** Starts it where it does not run, and checks it once. Never by calling a tool. */
  check(waiting: AbortSignal): Promise<ServerStatus>
  /** Calls the listener after every change of status or inspection; gives the way to stop listening. */
  onChange(listener: () => void): () => void
  /** No new calls; those in flight get `graceMs`, then nothing of it is alive. False when calls were cut off. */
  close(graceMs: number): Promise<boolean>
}
