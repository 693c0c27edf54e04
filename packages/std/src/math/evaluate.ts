export const description =
  'Calculates an expression such as 2 * (x + 1) ^ 2 with + - * / % ^, functions and variables'

export const inputSchema = {
  type: 'object',
  properties: {
    expression: {
      type: 'string',
      maxLength: 2000,
      description: 'Numbers, operators, names and calls such as max(a, 2)',
    },
    variables: {
      type: 'object',
      additionalProperties: { type: 'number' },
      default: {},
      description: 'Numbers by name',
    },
  },
  required: ['expression'],
  additionalProperties: false,
} as const

export const permissions = {}

/** Bounds how deep the parser can go as well. */
const LIMIT_LENGTH = 2000

const CONSTANTS = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
  ['tau', 2 * Math.PI],
])

const { abs, ceil, cos, exp, floor, log, log10, log2, max, min, round, sign, sin, sqrt, tan, trunc } = Math

const FUNCTIONS = new Map<string, (...numbers: number[]) => number>([
  ...Object.entries({ abs, ceil, floor, round, sign, trunc, sqrt, max, min }),
  ...Object.entries({ cos, sin, tan, exp, ln: log, log10, log2 }),
])

export default async function evaluate(args: {
  expression: string
  variables?: Record<string, number>
}): Promise<{ value: number }> {
  const { expression, variables = {} } = args
  if (typeof expression !== 'string') throw wrong('expression to be a string', typeof expression)
  if (expression.length > LIMIT_LENGTH)
    throw wrong(`expression to have a length of at most ${LIMIT_LENGTH}`, expression.length)
  if (typeof variables !== 'object' || variables === null)
    throw wrong('variables to be an object', typeof variables)
  for (const [name, value] of Object.entries(variables)) {
    if (!Number.isFinite(value)) throw wrong(`variables to have a number for ${name}`, JSON.stringify(value))
  }

  const value = calculate(tokensOf(expression), new Map([...CONSTANTS, ...Object.entries(variables)]))
  if (!Number.isFinite(value)) throw wrong('a finite result', value)
  return { value }
}

const TOKEN = /\s*(?:((?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[a-z_]\w*|[-+*/%^(),])|$)/iy

function tokensOf(expression: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  for (;;) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(expression)
    if (!match) throw wrong('a number, name or operator', `'${expression.slice(at, at + 20).trim()}'`)
    if (match[1] === undefined) return tokens
    tokens.push(match[1])
  }
}

/** sum = product {(+|-) product}; product = signed {(*|/|%) signed}; signed = [+|-] signed | power; power = atom [^ signed] */
function calculate(tokens: readonly string[], names: ReadonlyMap<string, number>): number {
  let at = 0
  const result = sum()
  if (at < tokens.length) throw wrong('the end or an operator', `'${tokens[at]}'`)
  return result

  function sum(): number {
    let left = product()
    for (;;) {
      if (accept('+')) left += product()
      else if (accept('-')) left -= product()
      else return left
    }
  }

  function product(): number {
    let left = signed()
    for (;;) {
      if (accept('*')) left *= signed()
      else if (accept('/')) left /= signed()
      else if (accept('%')) left %= signed()
      else return left
    }
  }

  function signed(): number {
    if (accept('-')) return -signed()
    return accept('+') ? signed() : power()
  }

  function power(): number {
    const base = atom()
    return accept('^') ? base ** signed() : base
  }

  function atom(): number {
    const token = tokens[at++] ?? ''
    if (/^[\d.]/.test(token)) return Number(token)
    if (token === '(') return closed(sum())
    if (accept('(')) return call(token)
    const value = names.get(token)
    if (value === undefined)
      throw wrong('a number, a known name or (', token === '' ? 'the end' : `'${token}'`)
    return value
  }

  function call(name: string): number {
    const run = FUNCTIONS.get(name)
    if (!run) throw wrong(`one of the functions ${[...FUNCTIONS.keys()].join(', ')}`, `'${name}'`)
    const numbers = [sum()]
    while (accept(',')) numbers.push(sum())
    return closed(run(...numbers))
  }

  function closed(value: number): number {
    if (!accept(')')) throw wrong(')', at < tokens.length ? `'${tokens[at]}'` : 'the end')
    return value
  }

  function accept(token: string): boolean {
    if (tokens[at] !== token) return false
    at++
    return true
  }
}

function wrong(expected: string, got: string | number): Error {
  return new Error(`Cannot evaluate: expected ${expected}, got ${got}`)
}
