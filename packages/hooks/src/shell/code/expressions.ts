import { posix } from 'node:path'

/** The raw arguments of a call, after its parenthesis; without one they end with the statement. */
export function readArguments(
  code: string,
  start: number,
  hasParenthesis: boolean,
): { args: string[]; end: number } {
  const args: string[] = []
  let depth = 0
  let from = start
  let at = start
  for (; at < code.length; at++) {
    const char = code[at] ?? ''
    if (isQuote(char)) at = endOfString(code, at) - 1
    else if ('([{'.includes(char)) depth++
    else if (depth === 0 && (')]}'.includes(char) || (!hasParenthesis && (char === ';' || char === '\n'))))
      break
    else if (')]}'.includes(char)) depth--
    else if (char === ',' && depth === 0) {
      args.push(code.slice(from, at).trim())
      from = at + 1
    }
  }
  const last = code.slice(from, at).trim()
  return { args: last === '' && args.length === 0 ? [] : [...args, last], end: at + 1 }
}

/** The value of an expression if it is plain: a literal, concatenated literals, or a constant. */
export function readText(expression: string, constants: ReadonlyMap<string, string>): string | undefined {
  const found = readValue(expression.trim(), 0, constants)
  return found && found.end === expression.trim().length ? found.value : undefined
}

/** Names with exactly one assignment, of plain text. */
export function readConstants(code: string): ReadonlyMap<string, string> {
  const constants = new Map<string, string>()
  const seen = new Set<string>()
  if (code.length > 100_000) return constants
  for (const match of code.matchAll(/(?<![\w$.'"])([$]?[A-Za-z_]\w*)\s*=(?![=>~])\s*/g)) {
    const name = match[1] ?? ''
    if (seen.size > 50) break
    if (seen.has(name)) continue
    seen.add(name)
    if (isBoundTwice(code, name)) continue
    const found = readValue(code, match.index + match[0].length, constants)
    if (found && /^\s*(?:[;\n,)]|$)/.test(code.slice(found.end, found.end + 40)))
      constants.set(name, found.value)
  }
  return constants
}

/** A reassigned name, loop variable or parameter is not a constant. */
function isBoundTwice(code: string, name: string): boolean {
  const id = `(?<![\\w$])${name.replace('$', '\\$')}(?!\\w)`
  const given = code.match(new RegExp(`${id}\\s*(?:[-+.|/*]|\\?\\?|\\|\\|)?=(?!=)`, 'g')) ?? []
  const bound = new RegExp(
    `(?:\\b(?:for|foreach|as|lambda|in)\\s*\\(?\\s*(?:const|let|var|my)?\\s*|\\b(?:def|function|sub)\\b[^)\\n]*)${id}|${id}[^()\\n]{0,80}\\)\\s*=>`,
  )
  return given.length > 1 || bound.test(code)
}

interface Found {
  readonly value: string
  readonly end: number
}

function readValue(code: string, start: number, constants: ReadonlyMap<string, string>): Found | undefined {
  let found = readTerm(code, start, constants)
  while (found) {
    const join = /^\s*([+/.])\s*(?=[\w"'`$([])/.exec(code.slice(found.end, found.end + 50))
    if (!join) return found
    const next = readTerm(code, found.end + join[0].length, constants)
    if (!next) return undefined
    found = {
      value: join[1] === '/' ? posix.join(found.value, next.value) : found.value + next.value,
      end: next.end,
    }
  }
  return undefined
}

const JOINS =
  /^(?:new\s+)?(?:(?:pathlib\.)?(?:Pure)?(?:Posix)?Path|(?:os\.)?path\.(?:join|resolve|abspath|expanduser|normalize)|join|resolve|File\.join|String|str)\s*\(/

function readTerm(code: string, start: number, constants: ReadonlyMap<string, string>): Found | undefined {
  const rest = code.slice(start, start + 200)
  const prefix = /^[rbufRBUF]{0,2}(?=["'`])/.exec(rest)?.[0]
  if (prefix !== undefined) return readString(code, start, prefix)
  const join = JOINS.exec(rest)
  if (join) {
    const { args, end } = readArguments(code, start + join[0].length, true)
    const parts = args.map((arg) => readText(arg, constants))
    return parts.length === 0 || parts.includes(undefined)
      ? undefined
      : { value: posix.join(...parts.map((part) => part ?? '')), end }
  }
  const name = /^[$]?[A-Za-z_]\w*(?![\w(.[])/.exec(rest)?.[0]
  const value = name === undefined ? undefined : constants.get(name)
  return name === undefined || value === undefined ? undefined : { value, end: start + name.length }
}

function readString(code: string, start: number, prefix: string): Found | undefined {
  const open = start + prefix.length
  const end = endOfString(code, open)
  const quote = code[open] ?? ''
  const width = code.startsWith(quote.repeat(3), open) && end - open >= 6 ? 3 : 1
  if (code[end - 1] !== quote) return undefined
  const raw = code.slice(open + width, end - width)
  if (quote === '`' && raw.includes('${')) return undefined
  if (/f/i.test(prefix) && /[{}]/.test(raw)) return undefined
  // Perl, PHP and Ruby interpolate variables in double quotes.
  if (quote === '"' && /(?<!\\)(?:\$[\w{]|#\{|@\w)/.test(raw)) return undefined
  return { value: /r/i.test(prefix) ? raw : unescaped(raw), end }
}

function isQuote(char: string): boolean {
  return char === '"' || char === "'" || char === '`'
}

function endOfString(code: string, open: number): number {
  const quote = code[open] ?? ''
  const triple = quote.repeat(3)
  if (quote !== '`' && code.startsWith(triple, open)) {
    const end = code.indexOf(triple, open + 3)
    return end < 0 ? code.length : end + 3
  }
  for (let at = open + 1; at < code.length; at++) {
    if (code[at] === '\\') at++
    else if (code[at] === quote) return at + 1
  }
  return code.length
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '', '0': '' }

function unescaped(raw: string): string {
  return raw.replaceAll(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\}|([0-7]{3})|([^]))/gi,
    (_match, hex?: string, unicode?: string, point?: string, octal?: string, char = '') => {
      const digits = hex ?? unicode ?? point
      if (digits === undefined && octal === undefined) return ESCAPES[char] ?? char
      const code = octal === undefined ? Number.parseInt(digits ?? '', 16) : Number.parseInt(octal, 8)
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
    },
  )
}
