export const description = 'Splits a whole number into its prime factors and tells whether it is prime'

export const inputSchema = {
  type: 'object',
  properties: {
    integer: { type: 'integer', minimum: 1, maximum: 1000000000000, description: 'Whole number up to 10^12' },
  },
  required: ['integer'],
  additionalProperties: false,
} as const

export const permissions = {}

/** A million divisions at worst. */
const LIMIT = 1e12

export default async function factorize(args: {
  integer: number
}): Promise<{ factors: { prime: number; power: number }[]; isPrime: boolean }> {
  const { integer } = args
  if (!Number.isInteger(integer) || integer < 1 || integer > LIMIT) {
    throw new Error(
      `Cannot factorize: expected integer to be from 1 to ${LIMIT}, got ${JSON.stringify(integer)}`,
    )
  }

  const factors: { prime: number; power: number }[] = []
  let rest = integer
  for (let prime = 2; prime * prime <= rest; prime += prime === 2 ? 1 : 2) {
    let power = 0
    for (; rest % prime === 0; rest /= prime) power++
    if (power > 0) factors.push({ prime, power })
  }
  if (rest > 1) factors.push({ prime: rest, power: 1 })
  return { factors, isPrime: factors[0]?.prime === integer }
}
