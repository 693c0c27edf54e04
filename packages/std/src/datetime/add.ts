export const description =
  'Adds years, months, weeks, days, hours, minutes or seconds to a date, by the calendar of a time zone'

export const inputSchema = {
  type: 'object',
  properties: {
    date: { type: 'string', description: 'Date, or date and time with its offset, as ISO 8601' },
    years: {
      type: 'integer',
      default: 0,
      description: 'Years to add; 29 February becomes the 28th where needed',
    },
    months: {
      type: 'integer',
      default: 0,
      description: 'Months to add; a day that the month lacks becomes its last',
    },
    weeks: { type: 'integer', default: 0, description: 'Weeks to add' },
    days: { type: 'integer', default: 0, description: 'Days to add, which keep the wall time' },
    hours: { type: 'integer', default: 0, description: 'Hours to add, of 60 minutes each' },
    minutes: { type: 'integer', default: 0, description: 'Minutes to add' },
    seconds: { type: 'integer', default: 0, description: 'Seconds to add' },
    timeZone: {
      type: 'string',
      default: 'UTC',
      description: 'IANA time zone whose calendar and clock changes count',
    },
  },
  required: ['date'],
  additionalProperties: false,
} as const

export const permissions = {}

const UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const

/** First the calendar on the wall clock, then the exact hours, minutes and seconds. */
export default async function add(
  args: { date: string; timeZone?: string } & { [unit in (typeof UNITS)[number]]?: number },
): Promise<{ iso: string; local: string }> {
  const { date, timeZone = 'UTC' } = args
  for (const unit of UNITS) {
    const amount = args[unit] ?? 0
    if (!Number.isInteger(amount) || Math.abs(amount) > 1e12) throw wrong(`${unit} to be an integer`, amount)
  }
  const { years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0 } = args
  const zone = zoneOf(timeZone)
  const start = instantOf(date)

  const local = start + msOf(offsetAt(zone, start))
  const moved = requireInRange(addMonths(local, years * 12 + months) + (weeks * 7 + days) * 86_400_000)
  const day = moved === local ? start : instantAt(zone, moved)
  const result = requireInRange(day + (hours * 3600 + minutes * 60 + seconds) * 1000)
  return { iso: new Date(result).toISOString(), local: printLocal(zone, result) }
}

function addMonths(local: number, months: number): number {
  const date = new Date(local)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months)
  // Past the end of a short month the date rolled over; day 0 is the last of the month before
  if (date.getUTCDate() !== day) date.setUTCDate(0)
  return date.getTime()
}

function requireInRange(ms: number): number {
  if (ms >= Date.UTC(100, 0) && ms < Date.UTC(10_000, 0)) return ms
  throw new Error('Cannot add to date: the result is not within the years 100 to 9999')
}

const ISO =
  /^(?!00)\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/

/** Date.parse takes 30 February for 1 March, hence the second look at the day. */
function instantOf(date: unknown): number {
  const ms = typeof date === 'string' && ISO.test(date) ? Date.parse(date) : Number.NaN
  const day = String(date).slice(0, 10)
  if (!Number.isNaN(ms) && new Date(day).toISOString().startsWith(day)) return ms
  throw wrong('date to be a date such as 2024-03-01T09:00:00Z', date)
}

/** A wall time that a clock change skips moves on by what was skipped; one that comes twice is the first. */
function instantAt(zone: Intl.DateTimeFormat, local: number): number {
  const before = local - msOf(offsetAt(zone, local - 86_400_000))
  const after = local - msOf(offsetAt(zone, local + 86_400_000))
  const real = [before, after].find((ms) => ms + msOf(offsetAt(zone, ms)) === local)
  return real ?? before
}

function printLocal(zone: Intl.DateTimeFormat, ms: number): string {
  const offset = offsetAt(zone, ms)
  return new Date(ms + msOf(offset)).toISOString().replace('Z', offset)
}

/** Such as +05:30, as the rules of the zone were at that instant. */
function offsetAt(zone: Intl.DateTimeFormat, ms: number): string {
  const name = zone.formatToParts(ms).find((part) => part.type === 'timeZoneName')?.value
  return name?.slice(3, 9) || '+00:00'
}

function msOf(offset: string): number {
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6))
  return (offset.startsWith('-') ? -minutes : minutes) * 60_000
}

/** Newer engines take +01:00 as a zone too; refused, so that every engine gives the same answer. */
function zoneOf(timeZone: string): Intl.DateTimeFormat {
  try {
    if (/^[A-Za-z]/.test(timeZone))
      return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  } catch {
    // The message below is clearer than the engine's
  }
  throw wrong('timeZone to be an IANA zone such as Europe/Paris', timeZone)
}

function wrong(expected: string, got: unknown): Error {
  return new Error(`Cannot add to date: expected ${expected}, got ${JSON.stringify(got)}`)
}
