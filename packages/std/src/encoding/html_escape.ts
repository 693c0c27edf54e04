export const description = 'Escapes text so that it can stand in HTML, between tags or in a quoted attribute'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Text to escape' },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

const ENTITIES = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
)

export default async function htmlEscape(args: { text: string }): Promise<{ html: string }> {
  const { text } = args
  if (typeof text !== 'string')
    throw new Error(`Cannot escape: expected text to be a string, got ${typeof text}`)
  return { html: text.replaceAll(/[&<>"']/g, (sign) => ENTITIES.get(sign) ?? sign) }
}
