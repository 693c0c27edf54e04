import { splitArguments } from './assertions.ts'
import { lastBefore, skipBlanks, statementEnd, type Brackets } from './brackets.ts'
import type { Language } from './language.ts'
import type { NamedFunction } from './functions.ts'

/** Code that runs once for each row of a literal table in the file. */
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
  const rows = rowCounter(code, language, partners)
  if (language === 'javascript')
    return [
      ...tablesInJavaScript(code, partners, rows),
      ...loops(code, partners, rows),
      ...lists(code, partners, rows),
    ]
  return language === 'python' ? tablesInPython(code, partners, { functions, rows }) : []
}

/** `it.each([1, 2])('…', () => {…})` */
function tablesInJavaScript(code: string, partners: Brackets, rows: CountRows): Repetition[] {
  return [...code.matchAll(/\.\s*(?:each|for)\s*(?:<[^()\n]*>\s*)?\(/g)].flatMap((found) => {
    const open = found.index + found[0].length - 1
    const close = partners[open] ?? -1
    const call = close < 0 ? -1 : skipBlanks(code, close + 1)
    const end = code[call] === '(' ? (partners[call] ?? -1) : -1
    return end < 0 ? [] : [{ start: call, end, times: rows(code.slice(open + 1, close), open) }]
  })
}

/** `for (const x of [1, 2]) {…}` */
function loops(code: string, partners: Brackets, rows: CountRows): Repetition[] {
  return [...code.matchAll(/\bfor\s*(?:await\s*)?\(/g)].flatMap((found) => {
    const open = found.index + found[0].length - 1
    const close = partners[open] ?? -1
    const list = close < 0 ? undefined : /\bof\s+(\[[^]*\]|[\w$]+)\s*$/.exec(code.slice(open, close))?.[1]
    if (list === undefined) return []
    const body = skipBlanks(code, close + 1)
    const end = code[body] === '{' ? (partners[body] ?? body) : statementEnd(code, body, partners)
    return [{ start: body, end, times: rows(list, open) }]
  })
}

/** `[1, 2].forEach((x) => {…})` */
function lists(code: string, partners: Brackets, rows: CountRows): Repetition[] {
  return [...code.matchAll(/(\]|(?<![\w$])[\w$]+)\s*\.\s*(?:forEach|map)\s*\(/g)].flatMap((found) => {
    const start = found.index + found[0].length - 1
    const [end, open] = [partners[start] ?? -1, partners[found.index] ?? -1]
    const list = found[1] === ']' ? (open < 0 ? '' : code.slice(open, found.index + 1)) : (found[1] ?? '')
    return end < 0 || list === '' ? [] : [{ start, end, times: rows(list, start) }]
  })
}

/** `@pytest.mark.parametrize("a", [1, 2])` above a test. */
function tablesInPython(
  code: string,
  partners: Brackets,
  { functions, rows }: { functions: readonly NamedFunction[]; rows: CountRows },
): Repetition[] {
  return [...code.matchAll(/@[\w.]*\bparametrize\s*\(/g)].flatMap((found) => {
    const open = found.index + found[0].length - 1
    const close = partners[open] ?? -1
    const test = functions
      .filter(({ start }) => close >= 0 && start > close)
      .sort((a, b) => a.start - b.start)[0]
    if (!test) return []
    const [, table = ''] = splitArguments(code.slice(open + 1, close))
    return [{ start: test.start, end: test.end, times: rows(table.replace(/^\w+\s*=\s*/, ''), open) }]
  })
}

/** The number of rows of a used table: a list, or the name of a list above. */
type CountRows = (table: string, at: number) => number

const namedTables: Readonly<Partial<Record<Language, RegExp>>> = {
  javascript: /\b(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]{0,200})?=\s*(?=\[)/g,
  python: /^[ \t]*(\w+)[ \t]*=[ \t]*(?=[[(])/gm,
}

function rowCounter(code: string, language: Language, partners: Brackets): CountRows {
  const tables = new Map<string, { start: number; rows: number }[]>()
  const expression = namedTables[language]
  for (const found of expression ? code.matchAll(expression) : []) {
    const [whole, name = ''] = found
    const start = found.index + whole.length
    if ((partners[start] ?? -1) < 0) continue
    const same = tables.get(name) ?? []
    tables.set(name, same)
    same.push({ start, rows: rowsAt(code, start, partners) })
  }
  return (table, at) => tables.get(table.trim())?.findLast(({ start }) => start < at)?.rows ?? rowsIn(table)
}

/** Skips brackets, so that nested lists are not read repeatedly. */
function rowsAt(code: string, open: number, partners: Brackets): number {
  const close = partners[open] ?? -1
  let rows = 0
  let isEmpty = true
  for (let at = skipBlanks(code, open + 1); at < close && rows < MOST_TIMES; at = skipBlanks(code, at + 1)) {
    if (isEmpty && code[at] !== ',') rows++
    isEmpty = code[at] === ','
    at = Math.max(at, partners[at] ?? -1)
  }
  return Math.max(1, rows)
}

/** A computed table counts as one row. */
function rowsIn(list: string): number {
  const text = list.trim()
  const isList = '[('.includes(text[0] ?? ' ') && lastBefore(text, text.length) > 0
  if (!isList) return 1
  const rows = splitArguments(text.slice(1, -1)).filter((row) => row !== '').length
  return Math.min(MOST_TIMES, Math.max(1, rows))
}
