import { PmlError } from '@pml/core'
import { RETRY_AFTER_S } from '../db/deadline.ts'

interface Slots {
  /** Takes a slot and returns the function that frees it. Throws if none is free. */
  take(key: string): () => void
  readonly taken: number
}

/** Limits concurrent calls in total and per key. */
export function createSlots({ total, perKey }: { total: number; perKey: number }): Slots {
  const held = new Map<string, number>()
  let taken = 0

  function free(key: string): void {
    taken--
    const left = (held.get(key) ?? 1) - 1
    if (left === 0) held.delete(key)
    else held.set(key, left)
  }

  return {
    take: (key) => {
      const own = held.get(key) ?? 0
      if (own >= perKey) throw full('rate_limited', `key ${key} has ${perKey} calls running`)
      if (taken >= total) throw full('unavailable', 'too many calls are running')
      taken++
      held.set(key, own + 1)
      let isFree = false
      return () => {
        if (!isFree) free(key)
        isFree = true
      }
    },
    get taken() {
      return taken
    },
  }
}

function full(code: 'rate_limited' | 'unavailable', reason: string): PmlError {
  return new PmlError(code, `Cannot start another proxied call: ${reason}; try again when one has ended`, {
    retryAfter: RETRY_AFTER_S,
  })
}
