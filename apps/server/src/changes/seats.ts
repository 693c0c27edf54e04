import { PmlError } from '@pml/core'

/** Limits long-lived requests in total and per key, and ends them all at shutdown. */
export interface Seats {
  /** Takes a seat and returns the function that frees it. Calls `end` at shutdown. Throws `rate_limited` if none is free. */
  take(keyId: string, end: () => void): () => void
  close(): void
}

const RETRY_AFTER_S = 5

export function createSeats({ most, perKey }: { most: number; perKey: number }): Seats {
  const taken = new Set<{ readonly keyId: string; readonly end: () => void }>()
  return {
    take: (keyId, end) => {
      const own = [...taken].filter((seat) => seat.keyId === keyId)
      if (taken.size >= most || own.length >= perKey) throw full(taken.size >= most ? most : perKey)
      const seat = { keyId, end }
      taken.add(seat)
      return () => void taken.delete(seat)
    },
    close: () => {
      for (const { end } of taken) end()
    },
  }
}

function full(others: number): PmlError {
  return new PmlError(
    'rate_limited',
    `Cannot keep the request open: ${others} others are open; try again in ${RETRY_AFTER_S} s`,
    {
      retryAfter: RETRY_AFTER_S,
    },
  )
}
