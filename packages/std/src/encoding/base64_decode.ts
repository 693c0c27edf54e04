import { Buffer } from 'node:buffer'

export const description = 'Decodes base64 or base64url, with or without padding, into text or hex bytes'

export const inputSchema = {
  type: 'object',
  properties: {
    base64: { type: 'string', description: 'Either alphabet; line breaks and spaces are ignored' },
    output: {
      type: 'string',
      enum: ['text', 'hex'],
      default: 'text',
      description: 'text for UTF-8, hex for any other bytes',
    },
  },
  required: ['base64'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function base64Decode(args: {
  base64: string
  output?: 'text' | 'hex'
}): Promise<{ text: string } | { hex: string }> {
  const { base64, output = 'text' } = args
  if (typeof base64 !== 'string') throw wrong('base64 to be a string', typeof base64)
  if (output !== 'text' && output !== 'hex') throw wrong('output to be text or hex', JSON.stringify(output))

  const digits = base64.replaceAll(/\s/g, '')
  const bare = digits.replace(/={1,2}$/, '')
  const isPadded = bare.length === digits.length || digits.length % 4 === 0
  if (!isPadded || bare.length % 4 === 1 || !/^(?:[\w-]|[+/])*$/.test(bare)) {
    throw wrong('base64 to hold whole base64 digits', 'something else')
  }
  const bytes = Buffer.from(bare, 'base64')
  return output === 'hex' ? { hex: bytes.toString('hex') } : { text: textOf(bytes) }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Error('Cannot decode: the bytes are not UTF-8 text; use output hex')
  }
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot decode: expected ${expected}, got ${got}`)
}
