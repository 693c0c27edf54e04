import { expect, test } from 'vitest'
import { median } from './median.ts'

test('the median is the middle value, or the mean of the two middle ones', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([10, 1, 2, 4])).toBe(3)
})

test('refuses an empty list', () => {
  expect(() => median([])).toThrow('Cannot take the median of nothing')
})
