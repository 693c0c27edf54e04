/** Returns the bounds of the middle half of the values. */
export function middleHalf(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b)
  const quarter = sorted.length >> 2
  const [low, high] = [sorted[quarter], sorted[sorted.length - 1 - quarter]]
  if (low === undefined || high === undefined) throw new Error('Cannot take the middle of nothing')
  return [low, high]
}
