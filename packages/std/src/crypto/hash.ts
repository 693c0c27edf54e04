import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'

export const description = 'Hashes text or base64 bytes with SHA-256, SHA-384, SHA-512, SHA-1 or MD5'

export const inputSchema = {
  type: 'object',
  properties: {
    data: { type: 'string', description: 'What to hash' },
    encoding: {
      type: 'string',
      enum: ['utf8', 'base64'],
      default: 'utf8',
      description: 'Whether the data is text or base64 of the bytes',
    },
    algorithm: {
      type: 'string',
      enum: ['sha256', 'sha384', 'sha512', 'sha1', 'md5'],
      default: 'sha256',
      description: 'sha1 and md5 are only for old checksums, not for security',
    },
  },
  required: ['data'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function hash(args: {
  data: string
  encoding?: 'utf8' | 'base64'
  algorithm?: 'sha256' | 'sha384' | 'sha512' | 'sha1' | 'md5'
}): Promise<{ hex: string; base64: string }> {
  const { data, encoding = 'utf8', algorithm = 'sha256' } = args
  if (typeof data !== 'string') throw wrong('data to be a string', typeof data)
  if (!inputSchema.properties.algorithm.enum.includes(algorithm)) {
    throw wrong(
      `algorithm to be one of ${inputSchema.properties.algorithm.enum.join(', ')}`,
      JSON.stringify(algorithm),
    )
  }
  const digest = createHash(algorithm).update(bytesOf(data, encoding)).digest()
  return { hex: digest.toString('hex'), base64: digest.toString('base64') }
}

/** Refuses what Buffer would silently drop: a hash of other bytes would look just as good. */
function bytesOf(data: string, encoding: string): Uint8Array {
  if (encoding === 'utf8') return Buffer.from(data, 'utf8')
  if (encoding !== 'base64') throw wrong('encoding to be utf8 or base64', JSON.stringify(encoding))
  const bytes = Buffer.from(data, 'base64')
  if (bytes.toString('base64') !== data) throw wrong('data to be padded base64', 'other characters')
  return bytes
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot hash: expected ${expected}, got ${got}`)
}
