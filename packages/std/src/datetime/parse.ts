export const description =
  'Parses a date written as ISO 8601, as in mail and HTTP headers, or as Unix seconds or milliseconds'

export const inputSchema = {
  type: 'object',
  properties: {
    text: {
      type: 'string',
      description: '2024-03-01 09:30, Fri, 01 Mar 2024 09:30:00 GMT, 1709285400 and the like',
    },
    timeZone: {
      type: 'string',
      default: 'UTC',
      description: 'IANA time zone of a text that names no offset',
    },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)? ?(z|utc|gmt|[+-]\d\d:?\d\d)?$/i
const MAIL =
  /^(?:[a-z]{3}, )?(\d{1,2}) ([a-z]{3}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))? (z|utc|gmt|[+-]\d\d:?\d\d)$/i
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** From here on a bare number is milliseconds: as seconds it would be the year 5138. */
const FIRST_MILLISECONDS = 1e11

export default async function parse(args: {
  text: string
  timeZone?: string
}): Promise<{ iso: string; local: string; epochMs: number }> {
  const { text, timeZone = 'UTC' } = args
  if (typeof text !== 'string') throw wrong('text to be a string', text)
  const zone = zoneOf(timeZone)
  const epochMs = parseNumber(text.trim()) ?? parseDate(text.trim(), zone)
  if (epochMs === undefined) throw wrong('text to be a date such as 2024-03-01T09:00:00Z', text)
  return { iso: new Date(epochMs).toISOString(), local: printLocal(zone, epochMs), epochMs }
}

function parseNumber(text: string): number | undefined {
  if (!/^-?\d{1,15}(?:\.\d{1,9})?$/.test(text)) return undefined
  const number = Number(text)
  return Math.round(Math.abs(number) < FIRST_MILLISECONDS ? number * 1000 : number)
}

function parseDate(text: string, zone: Intl.DateTimeFormat): number | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = fieldsOf(text)
  const fields = [year, month, day, hour, minute, second].map(Number)
  const [y = Number.NaN, mo = 0, d = 0, h = 0, mi = 0, s = 0] = fields
  const local = Date.UTC(y, mo - 1, d, h, mi, s, Number(fraction.padEnd(3, '0').slice(0, 3)))
  if (Number.isNaN(local)) return undefined
  const found = new Date(local)
  const isReal = found.getUTCFullYear() === y && found.getUTCMonth() === mo - 1 && found.getUTCDate() === d
  if (!isReal || h > 23 || mi > 59 || s > 59) return undefined
  if (offset === undefined) return instantAt(zone, local)
  return local - (/^[+-]/.test(offset) ? msOf(offset.replace(/^(...)(\d)/, '$1:$2')) : 0)
}

/** The fields of either way of writing, in the order of ISO 8601. */
function fieldsOf(text: string): (string | undefined)[] {
  const mail = MAIL.exec(text)
  if (!mail) return ISO.exec(text) ?? []
  const [all, day, month = '', year, hour, minute, second, offset] = mail
  return [
    all,
    year,
    String(MONTHS.indexOf(month.toLowerCase()) + 1),
    day,
    hour,
    minute,
    second,
    undefined,
    offset,
  ]
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
  return new Error(`Cannot parse date: expected ${expected}, got ${JSON.stringify(got)}`)
}
