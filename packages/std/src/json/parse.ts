export const description = 'Parses JSON text, and on a mistake tells its line and column'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'JSON text to parse' },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function parse(args: { text: string }): Promise<{ value: unknown }> {
  const { text } = args
  if (typeof text !== 'string')
    throw new Error(`Cannot parse JSON: expected text to be a string, got ${typeof text}`)

  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const { at, expected } = findFault(text)
    const lines = text.slice(0, at).split('\n')
    const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
    const got = at < text.length ? JSON.stringify(text.slice(at, at + 20)) : 'the end of the text'
    throw new Error(`Cannot parse JSON: expected ${expected} at ${place}, got ${got}`, { cause: error })
  }
}

const SPACE = /[ \t\n\r]*/y
const TOKEN =
  /[{}[\]:,]|"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

type Expected =
  | 'a value'
  | 'a value or ]'
  | 'a key'
  | 'a key or }'
  | ':'
  | ', or ]'
  | ', or }'
  | 'the end of the text'

/** The engine's own messages differ from version to version and often name no place, so the text is read again. */
function findFault(text: string): { at: number; expected: Expected } {
  const open: ('[' | '{')[] = []
  let expected: Expected = 'a value'
  let at = endOf(SPACE, text, 0) ?? 0
  for (;;) {
    const end = endOf(TOKEN, text, at)
    const next: Expected | undefined =
      end === undefined ? undefined : follow(expected, text.slice(at, end), open)
    if (end === undefined || next === undefined) return { at, expected }
    expected = next
    at = endOf(SPACE, text, end) ?? end
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** What must come after a token, or undefined when the token itself is out of place. */
function follow(expected: Expected, token: string, open: ('[' | '{')[]): Expected | undefined {
  const afterValue = (): Expected => {
    const within = open.at(-1)
    return within === undefined ? 'the end of the text' : within === '[' ? ', or ]' : ', or }'
  }
  const isClosing = token === ']' || token === '}'
  if (isClosing && expected.endsWith(`or ${token}`)) {
    open.pop()
    return afterValue()
  }
  if (expected.startsWith('a key')) return token.startsWith('"') ? ':' : undefined
  if (expected === ':') return token === ':' ? 'a value' : undefined
  if (expected.startsWith(',')) return token === ',' ? (open.at(-1) === '[' ? 'a value' : 'a key') : undefined
  if (expected === 'the end of the text' || isClosing || token === ',' || token === ':') return undefined
  if (token !== '[' && token !== '{') return afterValue()
  open.push(token)
  return token === '[' ? 'a value or ]' : 'a key or }'
}
