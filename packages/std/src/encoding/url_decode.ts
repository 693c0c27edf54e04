export const description = 'Decodes percent-encoded text from a URL'

export const inputSchema = {
  type: 'object',
  properties: {
    encoded: { type: 'string', description: 'Text with escapes such as %20' },
    plusIsSpace: { type: 'boolean', default: false, description: 'Whether + means a space, as in form data' },
  },
  required: ['encoded'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function urlDecode(args: {
  encoded: string
  plusIsSpace?: boolean
}): Promise<{ text: string }> {
  const { encoded, plusIsSpace = false } = args
  if (typeof encoded !== 'string') {
    throw new Error(`Cannot decode: expected encoded to be a string, got ${typeof encoded}`)
  }
  try {
    return { text: decodeURIComponent(plusIsSpace ? encoded.replaceAll('+', ' ') : encoded) }
  } catch {
    throw new Error(
      'Cannot decode: expected encoded to have escapes of whole UTF-8 characters such as %C3%A9',
    )
  }
}
