import { PmlError } from '@pml/core/errors'
import { orAborted } from '../../machine/limit.ts'
import type { McpSession } from '../../mcp/mcp-session.ts'
import { createBreaker, type Breaker } from './breaker.ts'
import { closedError, reasonOf, ServerRun, type Ending, type RunOptions } from './server-run.ts'
import type { Inspection, ServerStatus } from './server-status.ts'
import { createStatusBoard, type StatusBoard } from './status-board.ts'
import type { SupervisedServer, Supervision } from './supervised-server.ts'

interface Starting {
  readonly run: Promise<ServerRun>
  readonly stop: AbortController
  /** The reason in the status before the start. */
  readonly reason: string
  waiting: number
}

const IDLE = 'it was idle; the next call starts it'

export function superviseServer(supervision: Supervision): SupervisedServer {
  return new KeptServer(supervision)
}

/** Runs at most one session at a time, and starts none before the last one is gone completely. */
class KeptServer implements SupervisedServer {
  readonly name: string
  readonly onChange: SupervisedServer['onChange']
  readonly #supervision: Supervision
  readonly #breaker: Breaker
  readonly #board: StatusBoard
  #inspection: Inspection | undefined
  #missedCheck: string | undefined
  #usedAt = -Infinity
  #starting: Starting | undefined
  #run: ServerRun | undefined
  #gone: Promise<unknown> = Promise.resolve()
  #restart: NodeJS.Timeout | undefined
  #closing: Promise<boolean> | undefined
  #cutOff: () => void = () => {}

  constructor(supervision: Supervision) {
    const { name, timing } = supervision
    const now = () => supervision.now()
    this.name = name
    this.#supervision = supervision
    this.#breaker = createBreaker(timing, now)
    this.#board = createStatusBoard(now)
    this.onChange = this.#board.onChange
  }

  get status(): ServerStatus {
    return this.#board.status
  }

  get inspection(): Inspection | undefined {
    return this.#inspection
  }

  async open(waiting: AbortSignal): Promise<McpSession> {
    const { session } = await this.#use(waiting)
    return session
  }

  async check(waiting: AbortSignal): Promise<ServerStatus> {
    try {
      const run = await this.#use(waiting)
      await this.#wait(waiting, run.check())
    } catch (error) {
      if (waiting.aborted) throw error
    }
    return this.status
  }

  close(graceMs: number): Promise<boolean> {
    this.#closing ??= this.#close()
    const timer = setTimeout(() => this.#cutOff(), graceMs)
    return this.#closing.finally(() => clearTimeout(timer))
  }

  async #use(waiting: AbortSignal): Promise<ServerRun> {
    const run = await this.#join(waiting)
    await this.#wait(waiting, run.settled())
    if (!run.isUsable) return this.#use(waiting)
    run.rest()
    return run
  }

  async #join(waiting: AbortSignal): Promise<ServerRun> {
    this.#usedAt = performance.now()
    if (this.#run?.isUsable === false) await this.#wait(waiting, this.#run.closed)
    if (this.#closing !== undefined) throw closedError(this.name)
    if (this.#run !== undefined) return this.#run
    const starting = this.#starting ?? this.#beginUnlessPaused()
    starting.waiting++
    try {
      return await this.#wait(waiting, starting.run)
    } finally {
      starting.waiting--
      if (starting.waiting === 0) this.#giveUp(starting)
    }
  }

  async #wait<Result>(waiting: AbortSignal, work: Promise<Result>): Promise<Result> {
    try {
      return await orAborted(waiting, work)
    } catch (error) {
      if (this.#closing !== undefined) throw closedError(this.name)
      if (waiting.aborted) throw new PmlError('cancelled', `Cannot use ${this.name}: it was cancelled`)
      throw error
    }
  }

  #beginUnlessPaused(): Starting {
    if (this.#breaker.findPause() === undefined) return this.#begin()
    throw new PmlError('server_failed', `Cannot use ${this.name}: ${this.status.reason}`)
  }

  #begin(): Starting {
    clearTimeout(this.#restart)
    const stop = new AbortController()
    const { reason } = this.status
    const run = this.#start(stop.signal)
    // A server that must always run counts this object as a waiting caller.
    const starting: Starting = { run, stop, reason, waiting: this.#isEager ? 1 : 0 }
    this.#starting = starting
    this.#gone = run.catch(() => {})
    if (this.#breaker.failureCount === 0) this.#board.write({ reason: 'it is being started' })
    return starting
  }

  #giveUp(starting: Starting): void {
    if (this.#starting !== starting) return
    this.#starting = undefined
    starting.stop.abort()
    this.#board.write({ reason: starting.reason })
  }

  async #start(signal: AbortSignal): Promise<ServerRun> {
    try {
      await this.#gone
      const since = performance.now()
      const session = await this.#supervision.start(signal)
      const run = await ServerRun.begin(session, this.#runOptions())
      if (signal.aborted) await run.end({ kind: 'asked' })
      signal.throwIfAborted()
      this.#adopt(run, performance.now() - since)
      return run
    } catch (error) {
      if (signal.aborted) throw error
      this.#starting = undefined
      this.#fail(reasonOf(error), { failures: 1, errors: 1 })
      throw error
    }
  }

  #adopt(run: ServerRun, latencyMs: number): void {
    const { serverInfo, protocolVersion } = run.session
    this.#starting = undefined
    this.#run = run
    this.#missedCheck = undefined
    this.#breaker.succeed()
    this.#write({
      ...this.#standing(),
      ...this.#checked(),
      latencyMs,
      isRunning: true,
      serverInfo,
      protocolVersion,
    })
  }

  #runOptions(): RunOptions {
    const { name, timing } = this.#supervision
    return {
      name,
      timing,
      inspect: (session) => this.#supervision.inspect(session),
      onInspected: (inspection) => {
        this.#inspection = inspection
        if (this.#run !== undefined) this.#write(this.#standing())
        this.#board.tell()
      },
      onAnswer: () => {
        this.#breaker.succeed()
        if (this.#missedCheck === undefined) return
        this.#missedCheck = undefined
        this.#write(this.#standing())
      },
      onChecked: (latencyMs) => {
        this.#breaker.succeed()
        this.#missedCheck = undefined
        this.#write({ ...this.#standing(), ...this.#checked(), latencyMs })
      },
      onMissedCheck: (reason) => {
        this.#missedCheck = reason
        this.#write({ ...this.#standing(), ...this.#checked(), errorCount: this.status.errorCount + 1 })
      },
      onEnding: (ending) => this.#leave(ending),
    }
  }

  #standing(): Pick<ServerStatus, 'state' | 'reason'> {
    const concerns = this.#missedCheck ?? this.#inspection?.concerns.join('; ') ?? ''
    return { state: concerns === '' ? 'ready' : 'degraded', reason: concerns }
  }

  #checked(): Pick<ServerStatus, 'checkedAt'> {
    return { checkedAt: this.#supervision.now().toISOString() }
  }

  /** Handles the end of a run. Failed starts are reported by their error, and ends on request need no report. */
  #leave(ending: Ending): void {
    const run = this.#run
    if (run === undefined || ending.kind === 'asked') return
    this.#run = undefined
    this.#gone = run.closed
    const { failuresToOpen } = this.#supervision.timing
    if (ending.kind === 'idle') this.#write({ state: 'offline', reason: IDLE, isRunning: false })
    else if (ending.kind === 'failed') this.#fail(ending.reason, { failures: 1, errors: 1 })
    // Each missed check was already counted as an error.
    else this.#fail(ending.reason, { failures: failuresToOpen, errors: 0 })
  }

  #fail(reason: string, { failures, errors }: { failures: number; errors: number }): void {
    this.#breaker.fail(failures)
    this.#write({
      state: 'offline',
      reason: this.#withPause(reason),
      ...this.#checked(),
      isRunning: false,
      errorCount: this.status.errorCount + errors,
    })
    if (!this.#isMissed || this.#closing !== undefined) return
    this.#restart = setTimeout(() => void this.#begin(), this.#breaker.backoffMs).unref()
  }

  #withPause(reason: string): string {
    const pause = this.#breaker.findPause()
    if (pause === undefined) return reason
    const times = `${this.#breaker.failureCount} times in a row`
    return `it failed ${times}, the last time: ${reason}; next attempt after ${pause.toISOString()}`
  }

  /** Whether to restart at once: an idle server is started by the next call instead. */
  get #isMissed(): boolean {
    const { idleMs } = this.#supervision.timing
    return idleMs === undefined || performance.now() - this.#usedAt < idleMs
  }

  get #isEager(): boolean {
    return this.#supervision.timing.idleMs === undefined
  }

  /** Updates the status unless the server is closed. */
  #write(change: Parameters<StatusBoard['write']>[0]): void {
    if (this.#closing === undefined) this.#board.write(change)
  }

  async #close(): Promise<boolean> {
    clearTimeout(this.#restart)
    this.#starting?.stop.abort()
    this.#board.write({ state: 'offline', reason: 'it is closed', isRunning: false })
    const cutOff = new Promise<void>((resolve) => (this.#cutOff = resolve))
    const run = this.#run
    await Promise.race([run?.retire(), cutOff])
    const isWhole = run === undefined || run.inFlight === 0
    await run?.end({ kind: 'asked' })
    await this.#gone
    return isWhole
  }
}
