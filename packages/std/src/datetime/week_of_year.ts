export const description = 'Tells the ISO 8601 week of a date, its day of the week and its day of the year'

export const inputSchema = {
  type: 'object',
  properties: {
    date: { type: 'string', description: 'Date, or date and time with its offset, as ISO 8601' },
    timeZone: { type: 'string', default: 'UTC', description: 'IANA time zone in which the day is meant' },
  },
  required: ['date'],
  additionalProperties: false,
} as const

export const permissions = {}

const DAY_MS = 86_400_000

export default async function weekOfYear(args: {
  date: string
  timeZone?: string
}): Promise<{ year: number; week: number; weekday: number; dayOfYear: number; isoWeek: string }> {
  const { date, timeZone = 'UTC' } = args
  const ms = instantOf(date)
  const local = new Date(ms + msOf(offsetAt(zoneOf(timeZone), ms)))
  const weekday = local.getUTCDay() || 7

  // A week belongs to the year that its Thursday is in
  const thursday = new Date(local.getTime() + (4 - weekday) * DAY_MS)
  const year = thursday.getUTCFullYear()
  const week = Math.ceil(dayOfYear(thursday) / 7)
  const isoWeek = `${String(year).padStart(4, '0')}-W${String(week).padStart(2, '0')}-${weekday}`
  return { year, week, weekday, dayOfYear: dayOfYear(local), isoWeek }
}

function dayOfYear(date: Date): number {
  const start = new Date(date)
  start.setUTCMonth(0, 1)
  return Math.round((date.getTime() - start.getTime()) / DAY_MS) + 1
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
  return new Error(`Cannot tell week: expected ${expected}, got ${JSON.stringify(got)}`)
}
