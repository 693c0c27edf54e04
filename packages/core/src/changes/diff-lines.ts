// The package's index loads every kind of diff, which takes ten times as long.
import { diffArrays } from 'diff/lib/diff/array.js'

/** Replaces `removed` lines from line `from` by `added` lines from line `to` of the other text. */
export interface Edit {
  readonly from: number
  readonly removed: number
  readonly to: number
  readonly added: number
}

/** The limit of comparisons: the lines of both texts times the number of edits. */
const MOST_WORK = 20_000_000
const MOST_EDITS = 2000

/** Splits a text into lines with their ends, so that a last line without one differs. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/**
 * Returns the shortest list of edits, or one edit for everything between the common start and end if that would take too long.
 */
export function diffLines(before: readonly string[], after: readonly string[]): Edit[] {
  const start = sharedLength(before, after, (lines, index) => lines[index])
  const end = sharedLength(before.slice(start), after.slice(start), (lines, index) => lines.at(-1 - index))
  const [removed, added] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const all = [{ from: start, removed: removed.length, to: start, added: added.length }]
  if (removed.length === 0 || added.length === 0) return removed.length + added.length === 0 ? [] : all
  return findEdits(removed, added)?.map((edit) => move(edit, start)) ?? all
}

function findEdits(before: readonly string[], after: readonly string[]): Edit[] | undefined {
  const maxEditLength = Math.min(MOST_EDITS, Math.floor(MOST_WORK / (before.length + after.length)))
  const numbers = new Map<string, number>()
  const runs = diffArrays(numberLines(before, numbers), numberLines(after, numbers), { maxEditLength })
  return runs && joinRuns(runs)
}

/** Equal lines get equal numbers, so comparing long lines is fast. */
function numberLines(lines: readonly string[], numbers: Map<string, number>): number[] {
  return lines.map((line) => {
    const number = numbers.get(line) ?? numbers.size
    numbers.set(line, number)
    return number
  })
}

interface Run {
  readonly count: number
  readonly added: boolean
  readonly removed: boolean
}

/** Merges adjacent removed and added runs into one edit. */
function joinRuns(runs: readonly Run[]): Edit[] {
  const edits: Edit[] = []
  let [from, to, isOpen] = [0, 0, false]
  for (const { count, added, removed } of runs) {
    const edit = { from, to, removed: removed ? count : 0, added: added ? count : 0 }
    const last = isOpen ? edits.pop() : undefined
    isOpen = added || removed
    if (isOpen) edits.push(last ? join(last, edit) : edit)
    else if (last) edits.push(last)
    if (!added) from += count
    if (!removed) to += count
  }
  return edits
}

function join(first: Edit, second: Edit): Edit {
  return { ...first, removed: first.removed + second.removed, added: first.added + second.added }
}

function move(edit: Edit, by: number): Edit {
  return { ...edit, from: edit.from + by, to: edit.to + by }
}

function sharedLength(
  a: readonly string[],
  b: readonly string[],
  lineAt: (lines: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && lineAt(a, length) === lineAt(b, length)) length++
  return length
}
