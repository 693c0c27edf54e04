import { PmlError } from './errors.ts'
import { DEEPEST, JsonSource } from './json-source.ts'

interface StrictJsonOptions {
  /** A text with more values than this throws `too_large` before any of them is built. */
  readonly mostValues?: number
}

/**
 * Parses JSON with one meaning: unique keys, well-formed Unicode, no NUL, finite numbers, at most 128 levels. Throws
 * `invalid_json`; `what` names the text in the message.
 */
export function parseStrictJson(
  text: string,
  what: string,
  { mostValues = Number.POSITIVE_INFINITY }: StrictJsonOptions = {},
): unknown {
  const json = text.startsWith('\u{feff}') ? text.slice(1) : text
  const shape = measure(json, mostValues)
  if (shape.values > mostValues)
    throw new PmlError('too_large', `Cannot read ${what}: expected at most ${mostValues} values`, {
      limit: mostValues,
    })
  const parsed = shape.depth <= DEEPEST ? tryParse(json) : undefined
  if (parsed && isSound(parsed.value, json, shape)) return parsed.value
  if (json.length <= LONGEST_EXPLAINED) return explain(text, what)
  throw new PmlError('invalid_json', `Cannot read ${what}: ${briefly(shape, parsed)}`)
}

/** Finding line and column in 4 MB takes a second, which would block the server. */
const LONGEST_EXPLAINED = 256 * 1024

interface Shape {
  /** An upper bound: counts names of members and items, but nothing in strings. */
  readonly values: number
  readonly members: number
  readonly depth: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c

/** Counts values outside strings in one pass and stops at the limit. Exact for valid JSON. */
function measure(json: string, mostValues: number): Shape {
  let [values, members, level, depth] = [1, 0, 0, 0]
  for (let at = 0; at < json.length && values <= mostValues && depth <= DEEPEST; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at)
    else if (code === COMMA) values++
    else if (code === COLON) members++
    // Bit 0x20 is the only difference between [ and {, and between ] and }.
    else if ((code | 0x20) === 0x7b) {
      values++
      depth = Math.max(depth, ++level)
    } else if ((code | 0x20) === 0x7d) level--
  }
  return { values, members, depth }
}

/** The index of the closing quote of the string at `start`, or the end of the text. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return json.length
}

function tryParse(json: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(json) }
  } catch {
    return undefined
  }
}

/** Finds duplicate keys: the value then has fewer keys than the text has members. */
function isSound(root: unknown, json: string, { members }: Shape): boolean {
  const isText =
    json.isWellFormed() && !json.includes('\\u')
      ? () => true
      : (text: string) => text.isWellFormed() && !text.includes('\0')
  let keys = 0
  const isFine = (value: unknown): boolean => {
    if (typeof value === 'string') return isText(value)
    if (typeof value === 'number') return Number.isFinite(value)
    if (Array.isArray(value)) return value.every(isFine)
    if (typeof value !== 'object' || value === null) return true
    const names = Object.keys(value)
    keys += names.length
    return names.every((name) => isText(name) && isFine((value as Record<string, unknown>)[name]))
  }
  return isFine(root) && keys === members
}

/** The problem of a text that is too long to parse again. */
function briefly({ depth }: Shape, parsed: object | undefined): string {
  const expected =
    depth > DEEPEST
      ? `at most ${DEEPEST} levels of nesting`
      : parsed
        ? 'each key once, well-formed Unicode, no NUL and finite numbers'
        : 'valid JSON'
  return `expected ${expected}; a text over 256 KiB gets no line and column`
}

/** Parses the text again with the slow parser to locate the problem. */
function explain(text: string, what: string): unknown {
  try {
    const source = new JsonSource(text, what)
    source.requireSound()
    return JSON.parse(source.text)
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    throw new PmlError('invalid_json', error.message.slice(0, 1000))
  }
}
