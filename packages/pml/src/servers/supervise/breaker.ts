import type { Timing } from './supervised-server.ts'

/** Knows what failed, and when to try again. */
export interface Breaker {
  /** In a row. */
  readonly failureCount: number
  /** From the last failure to the next try. */
  readonly backoffMs: number
  /** Until when nobody may try; nothing where anybody may. */
  findPause(): Date | undefined
  fail(count: number): void
  /** An answer, at the start or later. Old failures are forgiven only when it has given answers for longer than the pause. */
  succeed(): void
}

/** So that servers which failed together are not all tried at the same moment. */
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
      // A clock that was set back must not keep a server out for longer.
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
