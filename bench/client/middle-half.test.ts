import { expect, test } from 'vitest'
import { printTimes } from './compare.ts'
import { middleHalf } from './middle-half.ts'

test('a quarter of the values is below the middle half, and a quarter above', () => {
  expect(middleHalf([8, 1, 7, 2, 6, 3, 5, 4])).toEqual([3, 6])
  expect(middleHalf([5])).toEqual([5, 5])
})

test('refuses an empty list', () => {
  expect(() => middleHalf([])).toThrow('Cannot take the middle of nothing')
})

test('times are printed with their spread', () => {
  const times = { ours: [3, 9, 1, 2], peer: [1, 1, 1, 1] }
  expect(printTimes(times, 'a bare one')).toBe(
    '2.50 ms (2.00 to 3.00) against 1.00 ms (1.00 to 1.00) for a bare one, 4 rounds',
  )
})
