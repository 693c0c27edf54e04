export const description = 'Finds the greatest common divisor and the least common multiple of whole numbers'

export const inputSchema = {
  type: 'object',
  properties: {
    integers: {
      type: 'array',
      items: { type: 'integer' },
      minItems: 1,
      maxItems: 1000,
      description: 'Whole numbers; their sign does not matter',
    },
  },
  required: ['integers'],
  additionalProperties: false,
} as const

export const permissions = {}

/** The multiple is text because it may be larger than a number can tell. */
export default async function gcd(args: { integers: number[] }): Promise<{ gcd: number; lcm: string }> {
  const { integers } = args
  if (!Array.isArray(integers) || integers.length === 0 || integers.length > 1000) {
    throw new Error('Cannot find gcd: expected integers to be an array of 1 to 1000 integers')
  }
  const bad = integers.find((integer) => !Number.isSafeInteger(integer))
  if (bad !== undefined) {
    throw new Error(
      `Cannot find gcd: expected integers to be whole numbers below 2^53, got ${JSON.stringify(bad)}`,
    )
  }

  let divisor = 0n
  let multiple = 1n
  for (const integer of integers) {
    const size = BigInt(Math.abs(integer))
    divisor = commonDivisor(divisor, size)
    multiple = size === 0n ? 0n : (multiple / commonDivisor(multiple, size)) * size
  }
  return { gcd: Number(divisor), lcm: String(multiple) }
}

function commonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}
