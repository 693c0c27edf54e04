export const description =
  'Finds percentiles of a list of numbers, interpolating between neighbours as spreadsheets do'

export const inputSchema = {
  type: 'object',
  properties: {
    numbers: { type: 'array', items: { type: 'number' }, minItems: 1, description: 'Numbers in any order' },
    percentiles: {
      type: 'array',
      items: { type: 'number', minimum: 0, maximum: 100 },
      default: [50, 90, 95, 99],
      description: 'Percentiles to find, each from 0 to 100',
    },
  },
  required: ['numbers'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function percentile(args: {
  numbers: number[]
  percentiles?: number[]
}): Promise<{ percentiles: { percentile: number; value: number }[] }> {
  const { percentiles = [50, 90, 95, 99] } = args
  const sorted = Float64Array.from(requireNumbers('numbers', args.numbers)).sort()
  if (sorted.length === 0)
    throw new Error('Cannot find percentile: expected numbers to hold at least one number, got none')

  for (const wanted of requireNumbers('percentiles', percentiles)) {
    if (wanted >= 0 && wanted <= 100) continue
    throw new Error(`Cannot find percentile: expected percentiles to be from 0 to 100, got ${wanted}`)
  }
  return {
    percentiles: percentiles.map((wanted) => ({ percentile: wanted, value: valueAt(sorted, wanted) })),
  }
}

function valueAt(sorted: Float64Array, percentile: number): number {
  const position = (percentile / 100) * (sorted.length - 1)
  const below = sorted[Math.floor(position)] ?? 0
  const above = sorted[Math.ceil(position)] ?? 0
  const share = position - Math.floor(position)
  return share === 0 ? below : below * (1 - share) + above * share
}

function requireNumbers(name: string, numbers: unknown): number[] {
  if (!Array.isArray(numbers))
    throw new Error(`Cannot find percentile: expected ${name} to be an array of numbers`)
  const bad = numbers.findIndex((number) => !Number.isFinite(number))
  if (bad < 0) return numbers
  throw new Error(
    `Cannot find percentile: expected ${name}[${bad}] to be a number, got ${JSON.stringify(numbers[bad])}`,
  )
}
