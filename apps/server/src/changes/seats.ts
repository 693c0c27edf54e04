import { PmlError } from '@pml/core'

/** Room for those who stay on: so many of them, so many for each key, and all of them leave when the house closes. */
export interface Seats {
  /** `end` is called when everybody has to go. Gives the way to leave earlier. Throws `rate_limited` where none is left. */
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
    `Cannot stay on: ${others} others do; try again in ${RETRY_AFTER_S} s`,
    {
      retryAfter: RETRY_AFTER_S,
    },
  )
}
