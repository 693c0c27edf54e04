import { describe, expect, it } from 'vitest'
import { readBounded } from './read-bounded.ts'

describe('reading within bounds', () => {
  it('gives all of a stream that keeps to the limit', async () => {
    expect(await readBounded(chunksOf(10, 3), 30)).toHaveLength(30)
  })

  it('gives one byte more than the limit of a longer one, takes no more of it, and closes it', async () => {
    const taken = { chunks: 0, isClosed: false }
    expect(await readBounded(chunksOf(10, 1000, taken), 25)).toHaveLength(26)
    expect(taken).toEqual({ chunks: 3, isClosed: true })
  })
})

async function* chunksOf(sizeBytes: number, count: number, taken = { chunks: 0, isClosed: false }) {
  try {
    for (; taken.chunks < count;) {
      taken.chunks++
      yield new Uint8Array(sizeBytes)
    }
  } finally {
    taken.isClosed = true
  }
}
