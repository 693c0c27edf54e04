export const description = 'Measures the time between two dates, exactly and in whole months and years'

export const inputSchema = {
  type: 'object',
  properties: {
    from: { type: 'string', description: 'Date, or date and time with its offset, as ISO 8601' },
    to: { type: 'string', description: 'The other date; when it is earlier the amounts are negative' },
  },
  required: ['from', 'to'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function difference(args: { from: string; to: string }): Promise<{
  milliseconds: number
  seconds: number
  minutes: number
  hours: number
  days: number
  wholeMonths: number
  wholeYears: number
  duration: string
}> {
  const from = instantOf('from', args.from)
  const to = instantOf('to', args.to)
  const milliseconds = to - from
  const wholeMonths = monthsBetween(Math.min(from, to), Math.max(from, to)) * Math.sign(milliseconds)
  return {
    milliseconds,
    seconds: milliseconds / 1000,
    minutes: milliseconds / 60_000,
    hours: milliseconds / 3_600_000,
    days: milliseconds / 86_400_000,
    wholeMonths,
    wholeYears: Math.trunc(wholeMonths / 12),
    duration: printDuration(milliseconds),
  }
}

/** By the calendar of UTC: from 31 January a month is complete on the last day of February. */
function monthsBetween(from: number, to: number): number {
  const start = new Date(from)
  const end = new Date(to)
  const months =
    (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth()
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()
  const dayThen = Math.min(start.getUTCDate(), lastDay)
  const then =
    Date.UTC(end.getUTCFullYear(), end.getUTCMonth(), dayThen) + (from - start.setUTCHours(0, 0, 0, 0))
  return then > to ? months - 1 : months
}

/** ISO 8601, with days as the largest unit because months differ. */
function printDuration(milliseconds: number): string {
  const size = Math.abs(milliseconds)
  const amounts = [Math.floor(size / 3_600_000) % 24, Math.floor(size / 60_000) % 60, (size % 60_000) / 1000]
  const time = amounts.map((amount, index) => (amount === 0 ? '' : amount + 'HMS'.charAt(index))).join('')
  const days = Math.floor(size / 86_400_000)
  const text = (days === 0 ? '' : `${days}D`) + (time === '' ? '' : `T${time}`)
  return `${milliseconds < 0 ? '-' : ''}P${text === '' ? 'T0S' : text}`
}

const ISO =
  /^(?!00)\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/

/** Date.parse takes 30 February for 1 March, hence the second look at the day. */
function instantOf(name: string, date: unknown): number {
  const ms = typeof date === 'string' && ISO.test(date) ? Date.parse(date) : Number.NaN
  const day = String(date).slice(0, 10)
  if (!Number.isNaN(ms) && new Date(day).toISOString().startsWith(day)) return ms
  throw wrong(`${name} to be a date such as 2024-03-01T09:00:00Z`, date)
}

function wrong(expected: string, got: unknown): Error {
  return new Error(`Cannot measure time: expected ${expected}, got ${JSON.stringify(got)}`)
}
