export const description = 'Prints a date by a pattern such as yyyy-MM-dd HH:mm in a time zone'

export const inputSchema = {
  type: 'object',
  properties: {
    date: { type: 'string', description: 'Date, or date and time with its offset, as ISO 8601' },
    pattern: {
      type: 'string',
      maxLength: 500,
      default: 'yyyy-MM-dd HH:mm:ss xxx',
      description:
        'yyyy yy MMMM MMM MM M dd d EEEE EEE HH H hh h a mm ss SSS xxx; text between single quotes stays',
    },
    timeZone: { type: 'string', default: 'UTC', description: 'IANA time zone to print the date in' },
  },
  required: ['date'],
  additionalProperties: false,
} as const

export const permissions = {}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

export default async function format(args: {
  date: string
  pattern?: string
  timeZone?: string
}): Promise<{ text: string }> {
  const { date, pattern = 'yyyy-MM-dd HH:mm:ss xxx', timeZone = 'UTC' } = args
  if (typeof pattern !== 'string' || pattern.length > 500)
    throw wrong('pattern to be a string of at most 500', pattern)
  const ms = instantOf(date)
  const offset = offsetAt(zoneOf(timeZone), ms)
  const fields = fieldsOf(new Date(ms + msOf(offset)), offset)
  const text = pattern.replaceAll(/'([^']*)'|([A-Za-z])\2*/g, (part: string, quoted: string | undefined) => {
    if (quoted !== undefined) return quoted === '' ? "'" : quoted
    const field = fields.get(part)
    if (field === undefined) throw wrong('a known field in pattern; quote text with single quotes', part)
    return field
  })
  return { text }
}

function fieldsOf(local: Date, offset: string): ReadonlyMap<string, string> {
  const [year = '', MM = '', dd = '', HH = '', mm = '', ss = '', SSS = ''] =
    local.toISOString().match(/\d+/g) ?? []
  const month = MONTHS[local.getUTCMonth()] ?? ''
  const day = DAYS[local.getUTCDay()] ?? ''
  const h = String(local.getUTCHours() % 12 || 12)
  return new Map([
    ['yyyy', year],
    ['yy', year.slice(-2)],
    ['MMMM', month],
    ['MMM', month.slice(0, 3)],
    ['MM', MM],
    ['M', String(Number(MM))],
    ['dd', dd],
    ['d', String(Number(dd))],
    ['EEEE', day],
    ['EEE', day.slice(0, 3)],
    ['HH', HH],
    ['H', String(Number(HH))],
    ['hh', h.padStart(2, '0')],
    ['h', h],
    ['a', Number(HH) < 12 ? 'AM' : 'PM'],
    ['mm', mm],
    ['ss', ss],
    ['SSS', SSS],
    ['xxx', offset],
  ])
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
  return new Error(`Cannot format date: expected ${expected}, got ${JSON.stringify(got)}`)
}
