import { Buffer } from 'node:buffer'

export const description = 'Encodes text as base64 of its UTF-8 bytes, in the common or the URL-safe alphabet'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Text to encode' },
    urlSafe: {
      type: 'boolean',
      default: false,
      description: 'Whether to use - and _ and no padding (base64url)',
    },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function base64Encode(args: {
  text: string
  urlSafe?: boolean
}): Promise<{ base64: string }> {
  const { text, urlSafe = false } = args
  if (typeof text !== 'string')
    throw new Error(`Cannot encode: expected text to be a string, got ${typeof text}`)
  if (!text.isWellFormed())
    throw new Error('Cannot encode: expected text to be well-formed Unicode, got a lone surrogate')
  return { base64: Buffer.from(text, 'utf8').toString(urlSafe ? 'base64url' : 'base64') }
}
