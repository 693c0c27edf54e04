export const description = 'Fits a straight line through points by least squares and tells how well it fits'

export const inputSchema = {
  type: 'object',
  properties: {
    x: {
      type: 'array',
      items: { type: 'number' },
      minItems: 2,
      description: 'First coordinate of each point',
    },
    y: {
      type: 'array',
      items: { type: 'number' },
      minItems: 2,
      description: 'Second coordinate of each point',
    },
  },
  required: ['x', 'y'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function linearRegression(args: {
  x: number[]
  y: number[]
}): Promise<{ slope: number; intercept: number; rSquared: number }> {
  const x = requireNumbers('x', args.x)
  const y = requireNumbers('y', args.y)
  if (x.length !== y.length) throw wrong(`y to have ${x.length} numbers as x has`, y.length)

  // Around the means, since the textbook sums of squares lose all digits for points far from zero
  const meanX = meanOf(x)
  const meanY = meanOf(y)
  let xx = 0
  let xy = 0
  let yy = 0
  for (const [index, value] of x.entries()) {
    const dx = value - meanX
    const dy = (y[index] ?? 0) - meanY
    xx += dx * dx
    xy += dx * dy
    yy += dy * dy
  }
  if (xx === 0) throw wrong('x to hold two different numbers', 'one')
  const slope = xy / xx
  return { slope, intercept: meanY - slope * meanX, rSquared: yy === 0 ? 1 : (xy * xy) / (xx * yy) }
}

function meanOf(numbers: readonly number[]): number {
  let sum = 0
  for (const number of numbers) sum += number
  return sum / numbers.length
}

function requireNumbers(name: string, numbers: unknown): number[] {
  if (!Array.isArray(numbers) || numbers.length < 2)
    throw wrong(`${name} to be an array of at least 2 numbers`, 'fewer')
  const bad = numbers.findIndex((number) => !Number.isFinite(number))
  if (bad < 0) return numbers
  throw wrong(`${name}[${bad}] to be a number`, JSON.stringify(numbers[bad]))
}

function wrong(expected: string, got: string | number): Error {
  return new Error(`Cannot fit line: expected ${expected}, got ${got}`)
}
