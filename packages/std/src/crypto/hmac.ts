import { createHmac } from 'node:crypto'

export const description = 'Signs text with a secret key (HMAC), as webhooks do'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Text to sign' },
    key: { type: 'string', minLength: 1, description: 'Secret key' },
    algorithm: {
      type: 'string',
      enum: ['sha256', 'sha384', 'sha512', 'sha1'],
      default: 'sha256',
      description: 'Hash to sign with; sha1 only where an old service asks for it',
    },
  },
  required: ['text', 'key'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function hmac(args: {
  text: string
  key: string
  algorithm?: 'sha256' | 'sha384' | 'sha512' | 'sha1'
}): Promise<{ hex: string; base64: string }> {
  const { text, key, algorithm = 'sha256' } = args
  if (typeof text !== 'string') throw wrong('text to be a string', typeof text)
  if (typeof key !== 'string' || key === '') throw wrong('key to be a string that is not empty', typeof key)
  if (!inputSchema.properties.algorithm.enum.includes(algorithm)) {
    throw wrong(
      `algorithm to be one of ${inputSchema.properties.algorithm.enum.join(', ')}`,
      JSON.stringify(algorithm),
    )
  }
  const signature = createHmac(algorithm, key).update(text, 'utf8').digest()
  return { hex: signature.toString('hex'), base64: signature.toString('base64') }
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot sign: expected ${expected}, got ${got}`)
}
