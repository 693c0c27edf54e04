import type { Timing } from './supervised-server.ts'

/** A circuit breaker: counts failures and decides when to retry. */
export interface Breaker {
  /** Consecutive failures. */
  readonly failureCount: number
  /** The time from the last failure to the next attempt. */
  readonly backoffMs: number
  /** The time until which attempts are refused; undefined if they are allowed. */
  findPause(): Date | undefined
  fail(count: number): void
  /** Reports a success. Failures are only forgotten after successes for longer than the pause. */
  succeed(): void
}

/** Spreads the retries of servers that failed together. */
const JITTER = 0.1

export function createBreaker(
  { failuresToOpen, firstBackoffMs, longestBackoffMs }: Timing,
  now: () => Date,
): Breaker {
  let failureCount = 0
  let backoffMs = 0
  let failedAt = 0
  let healthy: { since: number; until: number } | undefined

  return {
    get failureCount() {
      return failureCount
    },
    get backoffMs() {
      return backoffMs
    },
    findPause() {
      const elapsedMs = now().getTime() - failedAt
      // A clock that was set back must not extend the pause.
      const isOver = elapsedMs >= backoffMs || elapsedMs < 0
      return failureCount < failuresToOpen || isOver ? undefined : new Date(failedAt + backoffMs)
    },
    fail(count) {
      if (healthy !== undefined && healthy.until - healthy.since > backoffMs) failureCount = 0
      healthy = undefined
      failureCount += count
      failedAt = now().getTime()
      const longerMs = firstBackoffMs * 2 ** Math.min(failureCount - 1, 30)
      backoffMs = Math.round(Math.min(longerMs, longestBackoffMs) * (1 - Math.random() * JITTER))
    },
    succeed() {
      const at = now().getTime()
      healthy = { since: healthy?.since ?? at, until: at }
    },
  }
}
