import { PmlError } from '@pml/core'

/** Room for those who stay on: so many of them, and all of them leave when the house closes. */
export interface Seats {
  /** `end` is called when everybody has to go. Gives the way to leave earlier. Throws `rate_limited` where all are taken. */
  take(end: () => void): () => void
  close(): void
}

const RETRY_AFTER_S = 5

export function createSeats(most: number): Seats {
  const taken = new Set<{ readonly end: () => void }>()
  return {
    take: (end) => {
      if (taken.size >= most)
        throw new PmlError(
          'rate_limited',
          `Cannot stay on: ${most} others do; try again in ${RETRY_AFTER_S} s`,
          {
            retryAfter: RETRY_AFTER_S,
          },
        )
      const seat = { end }
      taken.add(seat)
      return () => void taken.delete(seat)
    },
    close: () => {
      for (const { end } of taken) end()
    },
  }
}
