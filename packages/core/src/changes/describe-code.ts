import type { CodeChange } from './change.ts'
import { dangersOfText } from './dangers.ts'
import { byteLength, cutAround, printMore, sharedStart } from './cut.ts'
import { diffLines, linesOf, type Edit } from './diff-lines.ts'
import { showInvisible } from './show-invisible.ts'

const CONTEXT = 3
const LIMITS = { lines: 1000, bytes: 100_000 }
const LONGEST_LINE = 400

/** A line of the diff. `other` is the line that it replaces, to show a long line from the first difference. */
interface Line {
  readonly sign: '@' | ' ' | '-' | '+'
  readonly text: string
  readonly other?: string
}

interface Texts {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Edits that share context: lines `start` to `end` of the old text. */
interface Hunk {
  readonly edits: readonly Edit[]
  readonly start: number
  readonly end: number
}

export function describeCode(before: string, after: string): CodeChange {
  const texts = { before: linesOf(before), after: linesOf(after) }
  const edits = diffLines(texts.before, texts.after)
  const [added, removed] = [sum(edits.map((edit) => edit.added)), sum(edits.map((edit) => edit.removed))]
  const hunks = hunksOf(edits, texts)
  const count = added + sum(hunks.map(({ start, end }) => 1 + end - start))
  return {
    ...printLines(linesOfHunks(hunks, texts), count),
    added,
    removed,
    dangers: dangersOfText(before, after),
  }
}

function hunksOf(edits: readonly Edit[], { before }: Texts): Hunk[] {
  const hunks: Hunk[] = []
  for (const edit of edits) {
    const end = Math.min(before.length, edit.from + edit.removed + CONTEXT)
    const start = Math.max(0, edit.from - CONTEXT)
    const last = hunks.at(-1)
    const isNear = last !== undefined && start <= last.end
    if (isNear) hunks[hunks.length - 1] = { edits: [...last.edits, edit], start: last.start, end }
    else hunks.push({ edits: [edit], start, end })
  }
  return hunks
}

/** A generator: callers read only the first lines of a long diff. */
function* linesOfHunks(hunks: readonly Hunk[], { before, after }: Texts): Generator<Line> {
  for (const { edits, start, end } of hunks) {
    yield { sign: '@', text: headOf({ edits, start, end }) }
    let next = start
    for (const { from, removed, to, added } of [...edits, { from: end, removed: 0, to: 0, added: 0 }]) {
      for (; next < from; next++) yield { sign: ' ', text: before[next] ?? '' }
      for (let at = 0; at < removed; at++)
        yield { sign: '-', text: before[from + at] ?? '', ...(at < added && { other: after[to + at] }) }
      for (let at = 0; at < added; at++)
        yield { sign: '+', text: after[to + at] ?? '', ...(at < removed && { other: before[from + at] }) }
      next = from + removed
    }
  }
}

function headOf({ edits, start, end }: Hunk): string {
  const shift = (edits[0]?.to ?? 0) - (edits[0]?.from ?? 0)
  const growth = sum(edits.map(({ added, removed }) => added - removed))
  return `@ ${range('-', start, end)} ${range('+', start + shift, end + shift + growth)} @@`
}

/** As in every unified diff: lines count from 1, and an empty range names the line before it. */
function range(sign: '-' | '+', start: number, end: number): string {
  return `${sign}${start === end ? start : start + 1},${end - start}`
}

function printLines(lines: Iterable<Line>, count: number): Pick<CodeChange, 'unified' | 'isCut'> {
  const printed: string[] = []
  let [index, bytes, isCut] = [0, 0, false]
  for (const line of lines) {
    const parts = printLine(line)
    bytes += parts.reduce((sum, part) => sum + byteLength(part), 0)
    if (index >= LIMITS.lines || bytes > LIMITS.bytes) {
      return { unified: [...printed, printMore(count - index), ''].join('\n'), isCut: true }
    }
    printed.push(...parts)
    index++
    isCut ||= line.sign !== ' ' && contentOf(line).length > LONGEST_LINE
  }
  return { unified: printed.map((line) => `${line}\n`).join(''), isCut }
}

/** Makes a carriage return before the end of a line visible. */
function printLine(line: Line): string[] {
  const { sign, text, other } = line
  const content = contentOf(line)
  const at = other === undefined || content.length <= LONGEST_LINE ? 0 : sharedStart(text, other)
  const shown = sign + showInvisible(cutAround(content, { at, most: LONGEST_LINE }))
  const isWhole = sign === '@' || text.endsWith('\n')
  return isWhole ? [shown] : [shown, '\\ No newline at end of file']
}

function contentOf({ text }: Line): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
