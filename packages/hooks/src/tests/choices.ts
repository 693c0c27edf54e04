import { skipBlanks, statementEnd, type Brackets } from './brackets.ts'
import type { Language } from './language.ts'

export type Range = readonly [start: number, end: number]

/** An `if`, with its two branches; the second is missing without an `else`. */
export interface Choice {
  readonly condition: string
  readonly met: Range
  readonly otherwise?: Range
}

/** More than any real test file has. */
const MOST_CHOICES = 500

/** The choices of a text, inner ones first; undefined if there are too many. `else if` is a choice in the other's `else`. */
export function findChoices(code: string, language: Language, partners: Brackets): Choice[] | undefined {
  if ((code.match(/\b(?:el)?if\b/g)?.length ?? 0) > MOST_CHOICES) return undefined
  if (language === 'javascript') return inJavaScript(code, partners)
  return language === 'python' ? inPython(code) : []
}

function inJavaScript(code: string, partners: Brackets): Choice[] {
  /** The ends of the choices that were already read. */
  const ends = new Map<number, number>()
  const bodyAt = (from: number): Range => {
    const start = skipBlanks(code, from)
    const block = code[start] === '{' ? (partners[start] ?? -1) + 1 || undefined : undefined
    return [start, block ?? ends.get(start) ?? statementEnd(code, start, partners)]
  }
  const choices: Choice[] = []
  for (const found of [...code.matchAll(/(?<![\w$.])if\s*\(/g)].toReversed()) {
    const open = found.index + found[0].length - 1
    const close = partners[open] ?? -1
    if (close < 0) continue
    const condition = plain(code.slice(open + 1, Math.min(close, open + LONGEST)))
    const met = bodyAt(close + 1)
    const next = skipBlanks(code, met[1])
    const hasElse = /^else\b/.test(code.slice(next, next + 6))
    const otherwise = hasElse ? bodyAt(next + 'else'.length) : undefined
    ends.set(found.index, (otherwise ?? met)[1])
    choices.push(otherwise ? { condition, met, otherwise } : { condition, met })
  }
  return choices
}

/** Longer than any real condition. */
const LONGEST = 500

function plain(condition: string): string {
  return condition.replace(/\s+/g, ' ').trim()
}

interface Line {
  readonly start: number
  readonly indentation: number
  readonly text: string
}

function inPython(code: string): Choice[] {
  const lines = linesOf(code)
  const ends = new Map<Line, number>()
  /** Lines below with decreasing indentation; the last one is the nearest. */
  const below: Line[] = []
  const choices: Choice[] = []
  for (const line of lines.toReversed()) {
    while ((below.at(-1)?.indentation ?? -1) > line.indentation) below.pop()
    const next = below.at(-1)
    const isSibling = next?.indentation === line.indentation
    const end = next?.start ?? code.length
    const [, keyword, condition = ''] = /^(if|elif|else)\b(.*)/.exec(line.text) ?? []
    if (keyword === 'else') ends.set(line, end)
    else if (keyword !== undefined) {
      const behind = isSibling && /^(?:elif|else)\b/.test(next.text) ? ends.get(next) : undefined
      ends.set(line, behind ?? end)
      const met: Range = [line.start, end]
      choices.push({
        condition: plain(condition),
        met,
        ...(behind === undefined ? {} : { otherwise: [end, behind] }),
      })
    }
    if (isSibling) below.pop()
    below.push(line)
  }
  return choices
}

/** The lines that are not blank and do not continue brackets. */
function linesOf(code: string): Line[] {
  const lines: Line[] = []
  let depth = 0
  let start = 0
  for (const whole of code.split('\n')) {
    const indentation = whole.search(/\S/)
    if (depth === 0 && indentation >= 0) lines.push({ start, indentation, text: whole.trim() })
    depth += (whole.match(/[([{]/g)?.length ?? 0) - (whole.match(/[)\]}]/g)?.length ?? 0)
    depth = Math.max(0, depth)
    start += whole.length + 1
  }
  return lines
}
