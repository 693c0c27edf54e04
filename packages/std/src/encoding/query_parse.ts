export const description = 'Parses a URL or a query string into its parameters, in order and with repeats'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'https://a.example/?q=1, ?q=1 or q=1' },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function queryParse(args: {
  text: string
}): Promise<{ parameters: { name: string; value: string }[] }> {
  const { text } = args
  if (typeof text !== 'string')
    throw new Error(`Cannot parse query: expected text to be a string, got ${typeof text}`)

  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  const [beforeFragment = ''] = text.split('#', 1)
  const mark = beforeFragment.indexOf('?')
  const query = mark >= 0 ? beforeFragment.slice(mark + 1) : isUrl ? '' : beforeFragment
  return { parameters: [...new URLSearchParams(query)].map(([name, value]) => ({ name, value })) }
}
