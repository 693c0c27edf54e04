export const description = 'Turns the common entities and all numeric ones of HTML text back into characters'

export const inputSchema = {
  type: 'object',
  properties: {
    html: {
      type: 'string',
      description: 'Text with entities such as &amp; and &#233; - unknown ones are kept',
    },
  },
  required: ['html'],
  additionalProperties: false,
} as const

export const permissions = {}

const ENTITIES = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    copy: '©',
    hellip: '…',
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
  }),
)

export default async function htmlUnescape(args: { html: string }): Promise<{ text: string }> {
  const { html } = args
  if (typeof html !== 'string')
    throw new Error(`Cannot unescape: expected html to be a string, got ${typeof html}`)
  const text = html.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi,
    (entity, decimal, hex, name) => {
      if (name !== undefined) return ENTITIES.get(name) ?? entity
      return characterOf(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
    },
  )
  return { text }
}

/** As browsers do: what is no character becomes the replacement character. */
function characterOf(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}
