import { splitArguments } from './assertions.ts'
import { lastBefore, skipBlanks, statementEnd, type Brackets } from './brackets.ts'
import type { Language } from './language.ts'
import type { NamedFunction } from './functions.ts'

/** Code that is run once for each row of a table that is written out in the file. */
export interface Repetition {
  readonly start: number
  readonly end: number
  readonly times: number
}

const MOST_TIMES = 50

export function findRepetitions(
  code: string,
  {
    language,
    partners,
    functions,
  }: { language: Language; partners: Brackets; functions: readonly NamedFunction[] },
): Repetition[] {
  if (language === 'javascript')
    return [...tablesInJavaScript(code, partners), ...loops(code, partners), ...lists(code, partners)]
  return language === 'python' ? tablesInPython(code, partners, functions) : []
}

/** `it.each([1, 2])('…', () => {…})` */
function tablesInJavaScript(code: string, partners: Brackets): Repetition[] {
  return [...code.matchAll(/\.\s*(?:each|for)\s*(?:<[^()\n]*>\s*)?\(/g)].flatMap((found) => {
    const open = found.index + found[0].length - 1
    const close = partners[open] ?? -1
    const call = close < 0 ? -1 : skipBlanks(code, close + 1)
    const end = code[call] === '(' ? (partners[call] ?? -1) : -1
    return end < 0 ? [] : [{ start: call, end, times: rowsIn(code.slice(open + 1, close)) }]
  })
}

/** `for (const x of [1, 2]) {…}` */
function loops(code: string, partners: Brackets): Repetition[] {
  return [...code.matchAll(/\bfor\s*(?:await\s*)?\(/g)].flatMap((found) => {
    const open = found.index + found[0].length - 1
    const close = partners[open] ?? -1
    const list = close < 0 ? undefined : /\bof\s+(\[[^]*\])\s*$/.exec(code.slice(open, close))?.[1]
    if (list === undefined) return []
    const body = skipBlanks(code, close + 1)
    const end = code[body] === '{' ? (partners[body] ?? body) : statementEnd(code, body, partners)
    return [{ start: body, end, times: rowsIn(list) }]
  })
}

/** `[1, 2].forEach((x) => {…})` */
function lists(code: string, partners: Brackets): Repetition[] {
  return [...code.matchAll(/\]\s*\.\s*(?:forEach|map)\s*\(/g)].flatMap((found) => {
    const start = found.index + found[0].length - 1
    const [end, open] = [partners[start] ?? -1, partners[found.index] ?? -1]
    return end < 0 || open < 0 ? [] : [{ start, end, times: rowsIn(code.slice(open, found.index + 1)) }]
  })
}

/** `@pytest.mark.parametrize("a", [1, 2])` above a test. */
function tablesInPython(code: string, partners: Brackets, functions: readonly NamedFunction[]): Repetition[] {
  return [...code.matchAll(/@[\w.]*\bparametrize\s*\(/g)].flatMap((found) => {
    const open = found.index + found[0].length - 1
    const close = partners[open] ?? -1
    const test = functions
      .filter(({ start }) => close >= 0 && start > close)
      .sort((a, b) => a.start - b.start)[0]
    if (!test) return []
    const [, rows = ''] = splitArguments(code.slice(open + 1, close))
    return [{ start: test.start, end: test.end, times: rowsIn(rows.replace(/^\w+\s*=\s*/, '')) }]
  })
}

/** A table that is made elsewhere counts as one row. */
function rowsIn(list: string): number {
  const text = list.trim()
  const isList = '[('.includes(text[0] ?? ' ') && lastBefore(text, text.length) > 0
  if (!isList) return 1
  const rows = splitArguments(text.slice(1, -1)).filter((row) => row !== '').length
  return Math.min(MOST_TIMES, Math.max(1, rows))
}
