import { PmlError } from '@pml/core'
import { LRUCache } from 'lru-cache'

interface Bucket {
  tokens: number
  at: number
}

export interface RateLimit {
  /** Counts one request of a caller; throws `rate_limited` with the seconds to wait. */
  take(caller: string): void
  /** Throws `rate_limited` if the caller has reached the limit; counts nothing. */
  require(caller: string): void
}

const MOST_CALLERS = 100_000

/** Creates a token bucket for each caller, which refills steadily. Each process counts for itself. */
export function createRateLimit({ perMinute, now }: { perMinute: number; now: () => number }): RateLimit {
  const buckets = new LRUCache<string, Bucket>({ max: MOST_CALLERS })
  const perMs = perMinute / 60_000
  const bucketOf = (caller: string): Bucket => {
    const at = now()
    const bucket = buckets.get(caller) ?? { tokens: perMinute, at }
    bucket.tokens = Math.min(perMinute, bucket.tokens + (at - bucket.at) * perMs)
    bucket.at = at
    if (bucket.tokens < 1) throw limited(Math.ceil((1 - bucket.tokens) / perMs / 1000))
    return bucket
  }
  return {
    require: (caller) => void bucketOf(caller),
    take: (caller) => {
      const bucket = bucketOf(caller)
      bucket.tokens -= 1
      buckets.set(caller, bucket)
    },
  }
}

function limited(retryAfter: number): PmlError {
  return new PmlError('rate_limited', `Too many requests; try again in ${retryAfter} s`, {
    retryAfter,
  })
}
