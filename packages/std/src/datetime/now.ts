export const description = 'Tells the time now, in UTC and in a time zone'

export const inputSchema = {
  type: 'object',
  properties: {
    timeZone: { type: 'string', default: 'UTC', description: 'IANA time zone such as Europe/Paris' },
  },
  required: [],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function now(args: {
  timeZone?: string
}): Promise<{ iso: string; local: string; epochMs: number; timeZone: string }> {
  const { timeZone = 'UTC' } = args
  const zone = zoneOf(timeZone)
  const epochMs = Date.now()
  return { iso: new Date(epochMs).toISOString(), local: printLocal(zone, epochMs), epochMs, timeZone }
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
  return new Error(`Cannot tell time: expected ${expected}, got ${JSON.stringify(got)}`)
}
