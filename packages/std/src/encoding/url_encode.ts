export const description = 'Percent-encodes text so that it can stand as one part of a URL'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Text to encode' },
    keepSlashes: {
      type: 'boolean',
      default: false,
      description: 'Whether / stays, as in a path of several parts',
    },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function urlEncode(args: {
  text: string
  keepSlashes?: boolean
}): Promise<{ encoded: string }> {
  const { text, keepSlashes = false } = args
  if (typeof text !== 'string')
    throw new Error(`Cannot encode: expected text to be a string, got ${typeof text}`)
  if (!text.isWellFormed())
    throw new Error('Cannot encode: expected text to be well-formed Unicode, got a lone surrogate')
  return { encoded: keepSlashes ? text.split('/').map(encodePart).join('/') : encodePart(text) }
}

/** RFC 3986, section 2.2: these five are reserved, and encodeURIComponent leaves them as they are. */
function encodePart(part: string): string {
  return encodeURIComponent(part).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
