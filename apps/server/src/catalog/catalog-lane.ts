import { setTimeout as sleep } from 'node:timers/promises'
import { PmlError } from '@pml/core'
import type { PendingQuery, Row } from 'postgres'
import type postgres from 'postgres'
import { RETRY_AFTER_S } from '../db/deadline.ts'

/** Runs a query of one caller; cancels it when the caller disconnects or the server stops. */
export type Ask = <Rows extends readonly Row[]>(query: PendingQuery<Rows & Row[]>) => Promise<Rows>

/** Queues listing and searching on their own connections, so that anonymous load does not block anything else. */
export interface CatalogLane {
  run<Value>(
    signal: AbortSignal | undefined,
    job: (ask: Ask, sql: postgres.Sql) => Promise<Value>,
  ): Promise<Value>
  /** Cancels running jobs and refuses waiting and later ones. */
  close(): void
}

export interface LaneLimits {
  /** The most jobs at a time. */
  readonly lanes: number
  /** The most waiting jobs; further ones are refused immediately. */
  readonly mostWaiting: number
  /** How long a job may wait. */
  readonly patienceMs: number
}

/** Cancellation repeats until the statement ends: Postgres ignores a cancel request that precedes its statement. */
const CANCEL_AGAIN_MS = 100

interface Waiting {
  readonly start: () => void
  readonly fail: (error: PmlError) => void
}

export function createCatalogLane(
  sql: postgres.Sql,
  { lanes, mostWaiting, patienceMs }: LaneLimits,
): CatalogLane {
  const waiting = new Set<Waiting>()
  const closing = new AbortController()
  let running = 0

  /** Resolves when it is this job's turn; the caller must call `release` afterwards. */
  function turn(signal: AbortSignal | undefined): Promise<void> {
    if (closing.signal.aborted) return Promise.reject(busy('the server is stopping'))
    if (signal?.aborted) return Promise.reject(callerLeft())
    if (running < lanes) {
      running++
      return Promise.resolve()
    }
    if (waiting.size >= mostWaiting) return Promise.reject(busy('too many searches are waiting'))
    return new Promise((done, fail) => {
      const settle = () => {
        waiting.delete(entry)
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      const entry: Waiting = {
        start: () => {
          settle()
          running++
          done()
        },
        fail: (error) => {
          settle()
          fail(error)
        },
      }
      const leave = () => entry.fail(callerLeft())
      const timer = setTimeout(() => entry.fail(busy('searches take too long')), patienceMs)
      signal?.addEventListener('abort', leave)
      waiting.add(entry)
    })
  }

  function release(): void {
    running--
    const [next] = waiting
    next?.start()
  }

  async function askUntil<Rows extends readonly Row[]>(
    signal: AbortSignal | undefined,
    query: PendingQuery<Rows & Row[]>,
  ): Promise<Rows> {
    if (signal?.aborted) throw callerLeft()
    if (closing.signal.aborted) throw busy('the server is stopping')
    const ended = new AbortController()
    const cancel = async () => {
      while (!ended.signal.aborted) {
        await query.cancel()
        await sleep(CANCEL_AGAIN_MS)
      }
    }
    for (const held of [signal, closing.signal]) held?.addEventListener('abort', cancel)
    try {
      return (await query) as unknown as Rows
    } catch (error) {
      if (signal?.aborted) throw callerLeft()
      throw error
    } finally {
      ended.abort()
      for (const held of [signal, closing.signal]) held?.removeEventListener('abort', cancel)
    }
  }

  return {
    run: async (signal, job) => {
      await turn(signal)
      try {
        return await job((query) => askUntil(signal, query), sql)
      } finally {
        release()
      }
    },
    close: () => {
      closing.abort()
      for (const { fail } of waiting) fail(busy('the server is stopping'))
    },
  }
}

function busy(why: string): PmlError {
  return new PmlError('unavailable', `Cannot list the registry: ${why}; try again in ${RETRY_AFTER_S} s`, {
    retryAfter: RETRY_AFTER_S,
  })
}

function callerLeft(): PmlError {
  return new PmlError('cancelled', 'Cannot list the registry: the client disconnected')
}
