import { randomBytes as makeRandomBytes } from 'node:crypto'

export const description = 'Makes cryptographically strong random bytes, for keys, tokens and salts'

export const inputSchema = {
  type: 'object',
  properties: {
    count: { type: 'integer', minimum: 1, maximum: 65536, default: 32, description: 'Number of bytes' },
    encoding: {
      type: 'string',
      enum: ['hex', 'base64', 'base64url'],
      default: 'hex',
      description: 'How the bytes are written',
    },
  },
  required: [],
  additionalProperties: false,
} as const

export const permissions = {}

const LIMIT_BYTES = 65_536

export default async function randomBytes(args: {
  count?: number
  encoding?: 'hex' | 'base64' | 'base64url'
}): Promise<{ bytes: string }> {
  const { count = 32, encoding = 'hex' } = args
  if (!Number.isInteger(count) || count < 1 || count > LIMIT_BYTES) {
    throw wrong(`count to be an integer from 1 to ${LIMIT_BYTES}`, count)
  }
  if (!inputSchema.properties.encoding.enum.includes(encoding)) {
    throw wrong('encoding to be hex, base64 or base64url', encoding)
  }
  return { bytes: makeRandomBytes(count).toString(encoding) }
}

function wrong(expected: string, got: unknown): Error {
  return new Error(`Cannot make random bytes: expected ${expected}, got ${JSON.stringify(got)}`)
}
