export const description =
  'Finds when the year, quarter, month, week, day or hour of a date starts and when the next one does'

export const inputSchema = {
  type: 'object',
  properties: {
    date: { type: 'string', description: 'Date, or date and time with its offset, as ISO 8601' },
    unit: {
      type: 'string',
      enum: ['year', 'quarter', 'month', 'week', 'day', 'hour'],
      description: 'Which period; a week starts on Monday',
    },
    timeZone: { type: 'string', default: 'UTC', description: 'IANA time zone in which the period is meant' },
  },
  required: ['date', 'unit'],
  additionalProperties: false,
} as const

export const permissions = {}

type Fields = { year: number; month: number; day: number; weekday: number }

/** The first wall time of a period, as Date.UTC takes it, and of the one that is `next` periods later. */
const STARTS = new Map<string, (at: Fields, next: number) => number>([
  ['year', ({ year }, next) => Date.UTC(year + next, 0)],
  ['quarter', ({ year, month }, next) => Date.UTC(year, month - (month % 3) + 3 * next)],
  ['month', ({ year, month }, next) => Date.UTC(year, month + next)],
  [
    'week',
    ({ year, month, day, weekday }, next) => Date.UTC(year, month, day - ((weekday + 6) % 7) + 7 * next),
  ],
  ['day', ({ year, month, day }, next) => Date.UTC(year, month, day + next)],
])

export default async function startOf(args: {
  date: string
  unit: string
  timeZone?: string
}): Promise<{ start: string; next: string }> {
  const { date, unit, timeZone = 'UTC' } = args
  const startAt = STARTS.get(unit)
  if (!startAt && unit !== 'hour')
    throw wrong(`unit to be one of ${[...STARTS.keys()].join(', ')}, hour`, unit)
  const ms = instantOf(date)
  const zone = zoneOf(timeZone)
  const local = new Date(ms + msOf(offsetAt(zone, ms)))
  if (!startAt) {
    // Not through the wall clock, which shows one hour twice when summer ends
    const start = ms - (local.getTime() - local.setUTCMinutes(0, 0, 0))
    return { start: printLocal(zone, start), next: printLocal(zone, start + 3_600_000) }
  }
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  const [start = 0, next = 0] = [0, 1].map((later) =>
    startAt({ year, month, day, weekday: local.getUTCDay() }, later),
  )
  return { start: printLocal(zone, instantAt(zone, start)), next: printLocal(zone, instantAt(zone, next)) }
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
  return new Error(`Cannot find start: expected ${expected}, got ${JSON.stringify(got)}`)
}
