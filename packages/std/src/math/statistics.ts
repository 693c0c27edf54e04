export const description = 'Describes a list of numbers: count, sum, mean, median, extremes and spread'

export const inputSchema = {
  type: 'object',
  properties: {
    numbers: { type: 'array', items: { type: 'number' }, minItems: 1, description: 'Numbers to describe' },
  },
  required: ['numbers'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function statistics(args: { numbers: number[] }): Promise<{
  count: number
  sum: number
  mean: number
  median: number
  min: number
  max: number
  variance: number
  standardDeviation: number
  sampleStandardDeviation: number | null
}> {
  const numbers = requireNumbers(args.numbers)
  const sorted = Float64Array.from(numbers).sort()
  const count = sorted.length
  const total = sum(sorted)
  const mean = total / count
  const squares = sum(sorted.map((number) => (number - mean) ** 2))
  if (!Number.isFinite(squares))
    throw new Error('Cannot describe numbers: their spread is too large for a number')
  return {
    count,
    sum: total,
    mean,
    median: ((sorted[(count - 1) >> 1] ?? 0) + (sorted[count >> 1] ?? 0)) / 2,
    min: sorted[0] ?? 0,
    max: sorted[count - 1] ?? 0,
    variance: squares / count,
    standardDeviation: Math.sqrt(squares / count),
    sampleStandardDeviation: count > 1 ? Math.sqrt(squares / (count - 1)) : null,
  }
}

/** Neumaier's sum: 0.1 ten times is 1, and small numbers are not lost beside large ones. */
function sum(numbers: Float64Array): number {
  let total = 0
  let lost = 0
  for (const number of numbers) {
    const next = total + number
    lost += Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total
    total = next
  }
  return total + lost
}

function requireNumbers(numbers: unknown): number[] {
  if (!Array.isArray(numbers) || numbers.length === 0) {
    throw new Error('Cannot describe numbers: expected numbers to be an array of at least one number')
  }
  const bad = numbers.findIndex((number) => !Number.isFinite(number))
  if (bad < 0) return numbers
  throw new Error(
    `Cannot describe numbers: expected numbers[${bad}] to be a number, got ${JSON.stringify(numbers[bad])}`,
  )
}
