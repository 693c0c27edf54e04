import { Buffer } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'

export const description = 'Checks a signature (HMAC) of a text in constant time'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Text that was signed' },
    key: { type: 'string', minLength: 1, description: 'Secret key' },
    signature: { type: 'string', description: 'Signature in hex; a prefix such as sha256= is allowed' },
    algorithm: {
      type: 'string',
      enum: ['sha256', 'sha384', 'sha512', 'sha1'],
      default: 'sha256',
      description: 'Hash it was signed with; sha1 only where an old service asks for it',
    },
  },
  required: ['text', 'key', 'signature'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function verifyHmac(args: {
  text: string
  key: string
  signature: string
  algorithm?: 'sha256' | 'sha384' | 'sha512' | 'sha1'
}): Promise<{ valid: boolean }> {
  const { text, key, signature, algorithm = 'sha256' } = args
  for (const name of ['text', 'key', 'signature'] as const) {
    if (typeof args[name] !== 'string') throw wrong(`${name} to be a string`, typeof args[name])
  }
  if (key === '') throw wrong('key to be a string that is not empty', 'string')
  if (!inputSchema.properties.algorithm.enum.includes(algorithm)) {
    throw wrong(
      `algorithm to be one of ${inputSchema.properties.algorithm.enum.join(', ')}`,
      JSON.stringify(algorithm),
    )
  }

  const expected = createHmac(algorithm, key).update(text, 'utf8').digest()
  const hex = signature.startsWith(`${algorithm}=`) ? signature.slice(algorithm.length + 1) : signature
  // Buffer stops at the first character that is not hex, so the characters are checked first
  if (!/^[0-9a-f]*$/i.test(hex) || hex.length !== expected.length * 2) return { valid: false }
  return { valid: timingSafeEqual(Buffer.from(hex, 'hex'), expected) }
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot verify signature: expected ${expected}, got ${got}`)
}
