import { expect, test } from 'vitest'
import { median } from './median.ts'

test('the median is the middle, or between the two in the middle', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([10, 1, 2, 4])).toBe(3)
})

test('refuses to take the median of nothing', () => {
  expect(() => median([])).toThrow('Cannot take the median of nothing')
})
