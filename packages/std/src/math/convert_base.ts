export const description = 'Rewrites a whole number of any size from one base to another'

export const inputSchema = {
  type: 'object',
  properties: {
    digits: {
      type: 'string',
      maxLength: 10000,
      description: 'The number, with digits 0-9 and a-z and maybe a sign',
    },
    from: { type: 'integer', minimum: 2, maximum: 36, default: 10, description: 'Base of the digits' },
    to: { type: 'integer', minimum: 2, maximum: 36, default: 10, description: 'Base of the result' },
  },
  required: ['digits'],
  additionalProperties: false,
} as const

export const permissions = {}

/** The work grows with the square of the length. */
const LIMIT_LENGTH = 10_000

export default async function convertBase(args: {
  digits: string
  from?: number
  to?: number
}): Promise<{ digits: string }> {
  const { digits, from = 10, to = 10 } = args
  if (typeof digits !== 'string') throw wrong('digits to be a string', typeof digits)
  if (digits.length > LIMIT_LENGTH)
    throw wrong(`digits to have a length of at most ${LIMIT_LENGTH}`, digits.length)
  for (const [name, base] of [
    ['from', from],
    ['to', to],
  ] as const) {
    const isBase = Number.isInteger(base) && base >= 2 && base <= 36
    if (!isBase) throw wrong(`${name} to be an integer from 2 to 36`, JSON.stringify(base))
  }

  const [, sign = '', magnitude = ''] = /^([+-]?)(.*)$/s.exec(digits.trim().toLowerCase()) ?? []
  if (magnitude === '') throw wrong('digits to hold a number', `'${digits}'`)
  const base = BigInt(from)
  let value = 0n
  for (const digit of magnitude) {
    const worth = /[0-9a-z]/.test(digit) ? Number.parseInt(digit, 36) : from
    if (worth >= from) throw wrong(`digits of base ${from}`, `'${digit}'`)
    value = value * base + BigInt(worth)
  }
  return { digits: (sign === '-' ? -value : value).toString(to) }
}

function wrong(expected: string, got: string | number): Error {
  return new Error(`Cannot convert base: expected ${expected}, got ${got}`)
}
