import { Buffer } from 'node:buffer'

export const description = 'Encodes text as the hexadecimal digits of its UTF-8 bytes'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Text to encode' },
    upperCase: { type: 'boolean', default: false, description: 'Whether to use A-F instead of a-f' },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function hexEncode(args: {
  text: string
  upperCase?: boolean
}): Promise<{ hex: string }> {
  const { text, upperCase = false } = args
  if (typeof text !== 'string')
    throw new Error(`Cannot encode: expected text to be a string, got ${typeof text}`)
  if (!text.isWellFormed())
    throw new Error('Cannot encode: expected text to be well-formed Unicode, got a lone surrogate')
  const hex = Buffer.from(text, 'utf8').toString('hex')
  return { hex: upperCase ? hex.toUpperCase() : hex }
}
