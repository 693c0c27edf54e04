import fc from 'fast-check'
import { createScanner, getNodePath, parseTree, printParseErrorCode, type Node } from 'jsonc-parser'
import { expect, it } from 'vitest'
import { parseStrictJson } from './strict-json.ts'

/** The result of parsing: the value or the error message. */
type Outcome = { readonly value: unknown } | { readonly message: string }

function outcomeOf(read: () => unknown): Outcome {
  try {
    return { value: read() }
  } catch (error) {
    return { message: (error as Error).message }
  }
}

/** The reference parser: it builds the whole tree of every text, which takes seconds for megabytes. */
function readSlowly(given: string, what: string): unknown {
  const text = given.startsWith('\u{feff}') ? given.slice(1) : given
  const problems: { offset: number; key: string; message: string }[] = []
  const keep = (offset: number, key: string, message: string) => {
    if (problems.length < 20) problems.push({ offset, key, message })
  }
  const requireNone = () => {
    if (problems.length === 0) return
    const lines = problems
      .toSorted((a, b) => a.offset - b.offset)
      .map(({ offset, key, message }) => {
        const before = text.slice(0, offset).split(/\r\n|\n|\r/)
        // A line does not end between CR and LF.
        const isSplit = text[offset - 1] === '\r' && text[offset] === '\n'
        const [line, column] = isSplit
          ? [before.length - 1, (before.at(-2)?.length ?? 0) + 2]
          : [before.length, (before.at(-1)?.length ?? 0) + 1]
        return `${what}:${line}:${column}: ${key === '' ? '' : `${key}: `}${message}`
      })
    const list = lines.length === 1 ? `: ${lines[0]}` : `, ${lines.length} problems:\n${lines.join('\n')}`
    throw new Error(`Cannot read ${what}${list}`.slice(0, 1000))
  }
  const deep = findTooDeep(text)
  if (deep !== undefined) keep(deep, '', 'expected at most 128 levels of nesting')
  requireNone()
  const errors: { offset: number; error: number }[] = []
  const root = parseTree(text, errors as never, { disallowComments: true })
  for (const { offset, error } of errors) keep(offset, '', describeSyntax(printParseErrorCode(error)))
  const parsed = outcomeOf(() => JSON.parse(text))
  if (errors.length === 0 && (root === undefined || 'message' in parsed)) keep(0, '', 'expected strict JSON')
  requireNone()
  checkValues(root as Node, (node, message) => keep(node.offset, printKey(getNodePath(node)), message))
  requireNone()
  return (parsed as { value: unknown }).value
}

function findTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true)
  let depth = 0
  while (depth <= 128) {
    scanner.scan()
    if (scanner.getTokenOffset() >= text.length) return undefined
    const start = text.charAt(scanner.getTokenOffset())
    if (start === '{' || start === '[') depth++
    if (start === '}' || start === ']') depth--
  }
  return scanner.getTokenOffset()
}

function describeSyntax(code: string): string {
  return code === 'InvalidCommentToken'
    ? 'expected JSON without comments; use a key that starts with _ instead'
    : `expected valid JSON: ${code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()}`
}

function checkValues(node: Node, report: (node: Node, message: string) => void): void {
  if (typeof node.value === 'string' && !node.value.isWellFormed())
    report(node, 'expected well-formed Unicode, got half of a surrogate pair')
  if (typeof node.value === 'string' && node.value.includes('\0'))
    report(node, 'expected text without NUL characters')
  if (typeof node.value === 'number' && !Number.isFinite(node.value))
    report(node, 'expected a smaller number')
  const seen = new Set<string>()
  for (const { children } of node.type === 'object' ? (node.children ?? []) : []) {
    const [name] = children ?? []
    if (name && seen.has(name.value))
      report(name, 'expected each key once, got it a second time; remove one of them')
    seen.add(name?.value)
  }
  for (const child of node.children ?? []) checkValues(child, report)
}

function printKey(path: readonly (string | number)[]): string {
  return path
    .map((part) =>
      typeof part === 'number' ? `[${part}]` : `.${JSON.stringify(part).slice(1, -1).slice(0, 80)}`,
    )
    .join('')
    .replace(/^\./, '')
}

const fast = (text: string) => outcomeOf(() => parseStrictJson(text, 'it'))
const slow = (text: string) => outcomeOf(() => readSlowly(text, 'it'))

const scraps = [
  ...'{}[]:,"\\/ \n\r\t-+.eE0123aué\u2028\u{feff}\0\u{1}\ud800',
  '{"a":1',
  '"a":',
  '"a"',
  '"b":{',
  '"\\u0061"',
  '"__proto__":',
  '1e999',
  '-0',
  '"\\ud800"',
  '"\\u0000"',
  '"\\ud83d\\ude00"',
  '//x\n',
  '/*',
  '*/',
  'null',
  'true',
  'fals',
  '\r\n',
  '[[',
  ']]',
  '"]"',
  '"\\\\"',
]
const spaces = fc.constantFrom('', '', ' ', '\n', '\r\n', '\r', '\t')

/** JSON with values that only we forbid, printed with random spaces and escapes. */
const sources = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      '1',
      '-0',
      '1e400',
      '-1e999',
      '"x"',
      'null',
      '"\\u0000"',
      '"\\ud800"',
      '"\\u00e9"',
      '"\\"',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }).map((text) => JSON.stringify(text)),
    fc
      .tuple(spaces, fc.array(tie('value'), { maxLength: 4 }))
      .map(([space, items]) => `[${space}${items.join(`,${space}`)}${space}]`),
    fc
      .tuple(
        spaces,
        fc.array(
          fc.tuple(fc.constantFrom('a', '\\u0061', 'b', '__proto__', '1', '\\u0000', ''), tie('value')),
          {
            maxLength: 5,
          },
        ),
      )
      .map(([space, members]) => `{${members.map(([key, value]) => `"${key}"${space}:${value}`).join(',')}}`),
  ),
})).value

it('parses random scraps of JSON like the reference parser', () => {
  const texts = fc.array(fc.constantFrom(...scraps), { maxLength: 24 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(texts, (text) => void expect(fast(text)).toEqual(slow(text))),
    { numRuns: 2000 },
  )
})

it('parses well-formed texts with forbidden values like the reference parser', () => {
  fc.assert(
    fc.property(sources, (text) => void expect(fast(text)).toEqual(slow(text))),
    { numRuns: 2000 },
  )
})

it('parses well-formed texts with one changed character like the reference parser', () => {
  const texts = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', ...scraps)).map(([text, at, scrap]) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + scrap + text.slice(place + 1)
  })
  fc.assert(
    fc.property(texts, (text) => void expect(fast(text)).toEqual(slow(text))),
    { numRuns: 2000 },
  )
})

it.each([
  ...[127, 128, 129, 130].flatMap((depth) => [
    '['.repeat(depth) + ']'.repeat(depth),
    '{"a":'.repeat(depth) + '1' + '}'.repeat(depth),
    `"${'['.repeat(depth)}"`,
    '['.repeat(depth),
    `//${'['.repeat(depth)}\n1`,
    `"\n${'['.repeat(depth)}`,
    ']'.repeat(depth) + '['.repeat(depth),
  ]),
  `[${'1e999,'.repeat(30)}1]`,
  `{${'"a":1,'.repeat(30)}"b":{"b":1,"b":2}}`,
  `[{"a":{"x":1e999},"a":1,"b":"\\ud800","b":{"c":1,"c":1}},{${'"a":1,'.repeat(30)}"a":1}]`,
  'x '.repeat(50),
  '\u{feff}{"a":1}',
  '\u{feff}\u{feff}1',
  '"\\\\\\""',
  '"\\\\\\"',
  '7'.repeat(400),
  `\r\n\r\n\n\r{"a":\r1,\r\n"a":2}`,
])('parses a hostile text like the reference parser: %#', (text) => {
  expect(fast(text)).toEqual(slow(text))
})

it('refuses a text with too many values before it builds them, and counts nothing inside strings', () => {
  const few = { mostValues: 10 }
  expect(parseStrictJson(`["${',[{'.repeat(50)}"]`, 'it', few)).toEqual([',[{'.repeat(50)])
  expect(parseStrictJson('[1,2,3,4]', 'it', few)).toEqual([1, 2, 3, 4])
  for (const text of [`[${'1,'.repeat(20)}1]`, '['.repeat(20), `{${'"a":{},'.repeat(20)}`])
    expect(() => parseStrictJson(text, 'it', few)).toThrow(
      expect.objectContaining({ code: 'too_large', message: 'Cannot read it: expected at most 10 values' }),
    )
})
