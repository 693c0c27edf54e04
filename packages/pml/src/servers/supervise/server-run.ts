import { PmlError } from '@pml/core/errors'
import { orAborted } from '../../machine/limit.ts'
import type { McpSession } from '../../mcp/mcp-session.ts'
import type { Inspection } from './server-status.ts'
import type { Supervision } from './supervised-server.ts'

/** Why a run is over: on request, idle, exited by itself, or ended because it did not respond. */
export type Ending =
  | { readonly kind: 'asked' }
  | { readonly kind: 'idle' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'unresponsive'; readonly reason: string }

export interface RunOptions extends Pick<Supervision, 'name' | 'timing' | 'inspect'> {
  onInspected(inspection: Inspection): void
  onAnswer(): void
  onChecked(latencyMs: number): void
  onMissedCheck(reason: string): void
  /** Called once when the run is over; its processes may still be alive. */
  onEnding(ending: Ending): void
}

const never = new AbortController().signal
/** The longest delay of a timer. */
const MOST_MS = 2 ** 31 - 1

/** One session with a server, from its first inspection to its end. */
export class ServerRun {
  /** The session to use; its calls count as in flight. */
  readonly session: McpSession
  readonly #session: McpSession
  readonly #options: RunOptions
  readonly #stopListening: () => void
  readonly #drained: Promise<void>
  readonly #over = new AbortController()
  #tellDrained: () => void = () => {}
  #checkTimer: NodeJS.Timeout | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #looking: Promise<void>
  #isLooking = false
  #isLookDue = false
  #checking: Promise<void> | undefined
  #missedChecks = 0
  #inFlight = 0
  #calledAt = -Infinity
  #isRetired = false
  #ending: Ending | undefined

  private constructor(session: McpSession, options: RunOptions) {
    this.#session = session
    this.#options = options
    this.session = {
      ...session,
      listTools: (asking) => this.#count(() => session.listTools(asking)),
      callTool: (name, args, calling) => this.#count(() => session.callTool(name, args, calling)),
    }
    this.#drained = new Promise((resolve) => (this.#tellDrained = resolve))
    this.#stopListening = session.onToolsChanged(() => this.#lookAgain())
    this.#looking = this.#look()
    const leave = () =>
      this.#leave({ kind: 'failed', reason: session.exitReason() ?? 'the connection was closed' })
    void session.closed.then(leave)
  }

  /** Begins a run; resolves after the first inspection. */
  static async begin(session: McpSession, options: RunOptions): Promise<ServerRun> {
    const run = new ServerRun(session, options)
    try {
      await run.#looking
      run.#watch()
      return run
    } catch (error) {
      await run.end({ kind: 'asked' })
      throw error
    }
  }

  /** False once the run is over or the server no longer responds. */
  get isUsable(): boolean {
    return this.#ending === undefined && this.#session.exitReason() === undefined
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Resolves when none of its processes is alive. */
  get closed(): Promise<void> {
    return this.#session.closed
  }

  /** Waits for the pending inspection. Rejects if it failed. */
  settled(): Promise<void> {
    return this.#looking
  }

  /** Starts the idle timer. */
  rest(): void {
    clearTimeout(this.#idleTimer)
    const { idleMs } = this.#options.timing
    if (this.#inFlight > 0 || this.#ending !== undefined || idleMs === undefined) return
    // A caller that waits for an inspection is about to call.
    const end = () => (this.#isLooking ? this.rest() : void this.end({ kind: 'idle' }))
    this.#idleTimer = setTimeout(end, Math.min(idleMs, MOST_MS)).unref()
  }

  /** Pings the server; concurrent callers share one ping. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined))
    return this.#checking
  }

  /** Refuses new calls; resolves when the last one is done. */
  retire(): Promise<void> {
    this.#isRetired = true
    if (this.#inFlight === 0) this.#tellDrained()
    return this.#drained
  }

  async end(ending: Ending): Promise<void> {
    this.#leave(ending)
    await this.#session.close()
  }

  #leave(ending: Ending): void {
    if (this.#ending !== undefined) return
    this.#ending = ending
    this.#over.abort(endingError(this.#options.name, ending))
    clearInterval(this.#checkTimer)
    clearTimeout(this.#idleTimer)
    this.#stopListening()
    this.#options.onEnding(ending)
  }

  #watch(): void {
    const { name, timing } = this.#options
    const fate = this.#session.exitReason()
    if (fate !== undefined) throw endingError(name, { kind: 'failed', reason: fate })
    const everyMs = Math.min(timing.checkEveryMs, MOST_MS)
    this.#checkTimer = setInterval(() => this.#checkQuiet(), everyMs).unref()
    this.rest()
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    try {
      const inspection = await orAborted(this.#over.signal, this.#options.inspect(this.#session))
      if (this.isUsable) this.#options.onInspected(inspection)
    } finally {
      this.#isLooking = false
    }
  }

  /** Queues at most one more inspection, so that a server that keeps notifying does not block callers for ever. */
  #lookAgain(): void {
    if (this.#isLookDue) return
    this.#isLookDue = true
    this.#looking = this.#looking.then(() => {
      this.#isLookDue = false
      return this.#look()
    })
    this.#looking.catch((error: unknown) => {
      if (this.isUsable) void this.end({ kind: 'failed', reason: reasonOf(error) })
    })
  }

  /** Pings only a quiet server: a busy one may respond late, and calls have their own time limits. */
  #checkQuiet(): void {
    const isQuiet = performance.now() - this.#calledAt >= this.#options.timing.checkEveryMs
    if (this.#inFlight === 0 && isQuiet) void this.check()
  }

  async #check(): Promise<void> {
    const { timing, onChecked, onMissedCheck } = this.#options
    const since = performance.now()
    try {
      await this.#session.check({ signal: never, timeoutMs: timing.checkTimeoutMs })
    } catch (error) {
      if (!this.isUsable) return
      const reason = reasonOf(error)
      onMissedCheck(reason)
      if (++this.#missedChecks >= timing.failuresToOpen) await this.end({ kind: 'unresponsive', reason })
      return
    }
    this.#missedChecks = 0
    if (this.isUsable) onChecked(performance.now() - since)
  }

  async #count<Result>(work: () => Promise<Result>): Promise<Result> {
    const { name, onAnswer } = this.#options
    if (this.#isRetired) throw closedError(name)
    clearTimeout(this.#idleTimer)
    this.#inFlight++
    try {
      const result = await work()
      this.#calledAt = performance.now()
      this.#missedChecks = 0
      if (this.isUsable) onAnswer()
      return result
    } catch (error) {
      if (isDoubtful(error) && this.isUsable) void this.check()
      throw error
    } finally {
      this.#inFlight--
      if (this.#isRetired && this.#inFlight === 0) this.#tellDrained()
      this.rest()
    }
  }
}

/** Errors after which the server may be dead. */
function isDoubtful(error: unknown): boolean {
  return error instanceof PmlError && ['tool_timeout', 'server_failed'].includes(error.code)
}

function endingError(name: string, ending: Ending): PmlError {
  if (!('reason' in ending)) return closedError(name)
  return new PmlError('server_failed', `Cannot use ${name}: ${ending.reason}`)
}

export function closedError(name: string): PmlError {
  return new PmlError('cancelled', `Cannot use ${name}: it is closed`)
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
