import { Buffer } from 'node:buffer'

export const description =
  'Decodes hexadecimal digits into UTF-8 text, or into base64 when they are other bytes'

export const inputSchema = {
  type: 'object',
  properties: {
    hex: {
      type: 'string',
      description: 'Digits in either case; white space and colons between them are ignored',
    },
    output: {
      type: 'string',
      enum: ['text', 'base64'],
      default: 'text',
      description: 'text for UTF-8, base64 for any other bytes',
    },
  },
  required: ['hex'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function hexDecode(args: {
  hex: string
  output?: 'text' | 'base64'
}): Promise<{ text: string } | { base64: string }> {
  const { hex, output = 'text' } = args
  if (typeof hex !== 'string') throw wrong('hex to be a string', typeof hex)
  if (output !== 'text' && output !== 'base64')
    throw wrong('output to be text or base64', JSON.stringify(output))

  const digits = hex.replaceAll(/[\s:]/g, '')
  const bad = digits.search(/[^0-9a-f]/i)
  if (bad >= 0) throw wrong('hex to hold only hexadecimal digits', JSON.stringify(digits.charAt(bad)))
  if (digits.length % 2 === 1) throw wrong('hex to hold two digits for each byte', `${digits.length} digits`)
  const bytes = Buffer.from(digits, 'hex')
  return output === 'base64' ? { base64: bytes.toString('base64') } : { text: textOf(bytes) }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Error('Cannot decode: the bytes are not UTF-8 text; use output base64')
  }
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot decode: expected ${expected}, got ${got}`)
}
