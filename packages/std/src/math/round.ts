export const description = 'Rounds a number to decimal places as it is written: 1.005 to 2 places is 1.01'

export const inputSchema = {
  type: 'object',
  properties: {
    number: { type: 'number', description: 'Number to round' },
    places: { type: 'integer', minimum: 0, maximum: 20, default: 0, description: 'Decimal places to keep' },
    mode: {
      type: 'string',
      enum: ['half_up', 'half_even', 'floor', 'ceil', 'trunc'],
      default: 'half_up',
      description: 'Where to go; half_up takes a half away from zero, half_even to the even neighbour',
    },
  },
  required: ['number'],
  additionalProperties: false,
} as const

export const permissions = {}

/** Whether the digits that are kept grow by one in size, given how the digits that are cut compare to a half. */
const GROWS = new Map<string, (cut: { half: number; isOdd: boolean; isNegative: boolean }) => boolean>([
  ['half_up', ({ half }) => half >= 0],
  ['half_even', ({ half, isOdd }) => half > 0 || (half === 0 && isOdd)],
  ['floor', ({ isNegative }) => isNegative],
  ['ceil', ({ isNegative }) => !isNegative],
  ['trunc', () => false],
])

export default async function round(args: {
  number: number
  places?: number
  mode?: string
}): Promise<{ number: number; text: string }> {
  const { number, places = 0, mode = 'half_up' } = args
  if (!Number.isFinite(number)) throw wrong('number to be a number', JSON.stringify(number))
  if (!Number.isInteger(places) || places < 0 || places > 20) {
    throw wrong('places to be an integer from 0 to 20', JSON.stringify(places))
  }
  const grows = GROWS.get(mode)
  if (!grows) throw wrong(`mode to be one of ${[...GROWS.keys()].join(', ')}`, JSON.stringify(mode))

  const { digits, exponent } = decimalOf(Math.abs(number))
  const cut = -exponent - places
  const scaled = cut > 0 ? roundOff(digits, cut) : digits * 10n ** BigInt(-cut)
  const text = print(scaled, places, number < 0)
  return { number: Number(text), text }

  function roundOff(all: bigint, count: number): bigint {
    const unit = 10n ** BigInt(count)
    const rest = all % unit
    const kept = all / unit
    if (rest === 0n) return kept
    const half = rest * 2n === unit ? 0 : rest * 2n > unit ? 1 : -1
    return grows?.({ half, isOdd: kept % 2n === 1n, isNegative: number < 0 }) ? kept + 1n : kept
  }
}

/** The shortest decimal that means this number, as digits times a power of ten. */
function decimalOf(number: number): { digits: bigint; exponent: number } {
  const [mantissa = '0', exponent = '0'] = number.toExponential().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

function print(scaled: bigint, places: number, isNegative: boolean): string {
  const digits = String(scaled).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const sign = isNegative && scaled !== 0n ? '-' : ''
  return places === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-places)}`
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot round: expected ${expected}, got ${got}`)
}
