import { randomBytes, randomUUID } from 'node:crypto'

export const description = 'Makes UUIDs (RFC 9562): version 4 at random, or version 7, which sorts by time'

export const inputSchema = {
  type: 'object',
  properties: {
    version: {
      type: 'integer',
      enum: [4, 7],
      default: 4,
      description: '4 for random, 7 for sortable by time',
    },
    count: { type: 'integer', minimum: 1, maximum: 1000, default: 1, description: 'How many to make' },
  },
  required: [],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function uuid(args: { version?: number; count?: number }): Promise<{ uuids: string[] }> {
  const { version = 4, count = 1 } = args
  if (version !== 4 && version !== 7) throw wrong('version to be 4 or 7', version)
  if (!Number.isInteger(count) || count < 1 || count > 1000)
    throw wrong('count to be an integer from 1 to 1000', count)

  const now = Date.now()
  const make = version === 4 ? () => randomUUID() : (_: unknown, index: number) => timeUuid(now, index)
  return { uuids: Array.from({ length: count }, make) }
}

/** RFC 9562, sections 5.7 and 6.2: the 12 bits after the time count, so that a batch is sorted as well. */
function timeUuid(now: number, index: number): string {
  const time = now.toString(16).padStart(12, '0')
  const counter = index.toString(16).padStart(3, '0')
  const random = randomBytes(8)
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
  const tail = random.toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${tail.slice(0, 4)}-${tail.slice(4)}`
}

function wrong(expected: string, got: unknown): Error {
  return new Error(`Cannot make UUID: expected ${expected}, got ${JSON.stringify(got)}`)
}
