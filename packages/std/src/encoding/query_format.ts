export const description = 'Builds a query string, and if wanted a whole URL, from parameters'

export const inputSchema = {
  type: 'object',
  properties: {
    parameters: {
      type: 'object',
      description: 'Text, numbers or booleans by name; an array repeats the name and null leaves it out',
    },
    url: { type: 'string', description: 'http or https URL to add the parameters to' },
  },
  required: ['parameters'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function queryFormat(args: {
  parameters: object
  url?: string
}): Promise<{ query: string; url?: string }> {
  const { parameters, url } = args
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
    throw wrong('parameters to be an object', JSON.stringify(parameters))
  }
  const target = url === undefined ? undefined : parseUrl(url)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const single of Array.isArray(value) ? value : [value]) {
      if (single === null) continue
      if (typeof single === 'object')
        throw wrong(`${name} to be text, a number or a boolean`, JSON.stringify(single))
      query.append(name, String(single))
      target?.searchParams.append(name, String(single))
    }
  }
  return { query: query.toString(), ...(target && { url: target.href }) }
}

function parseUrl(url: unknown): URL {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed
  throw wrong('url to be an http or https URL', JSON.stringify(url))
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot format query: expected ${expected}, got ${got}`)
}
