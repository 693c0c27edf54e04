import { expect, test } from 'vitest'
import { createRandom, createZipf } from './zipf.ts'

test('the same seed gives the same numbers, and another seed gives others', () => {
  const draw = (seed: number) => Array.from({ length: 5 }, createRandom(seed))
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
})

test('the k-th item comes about 1/k as often as the first', () => {
  const draw = createZipf(Array.from({ length: 1000 }, (_, index) => index + 1))
  const random = createRandom(7)
  const counts = new Map<number, number>()
  for (let count = 0; count < 200_000; count++) {
    const item = draw(random)
    counts.set(item, (counts.get(item) ?? 0) + 1)
  }
  const first = counts.get(1) ?? 0
  for (const rank of [2, 5, 20]) {
    const share = ((counts.get(rank) ?? 0) * rank) / first
    expect(share).toBeGreaterThan(0.9)
    expect(share).toBeLessThan(1.1)
  }
  expect(counts.size).toBeGreaterThan(990)
})

test('both ends of the range occur', () => {
  const draw = createZipf(['a', 'b', 'c'])
  expect(draw(() => 0)).toBe('a')
  expect(draw(() => 1 - Number.EPSILON)).toBe('c')
})
