import type { Hunk } from './parse-patch.ts'
import { trimBlanks, trimBlanksAtEnd } from './trim-blanks.ts'

interface Line {
  readonly text: string
  readonly end: string
}

interface Replacement {
  readonly at: number
  readonly count: number
  readonly put: readonly string[]
}

/**
 * Applies the changes of a patch as Codex does; undefined if one of them finds no position. Unchanged lines keep their line
 * ends, new ones get that of the first line, and the last line gets one too. `isExact`: lines must match exactly.
 */
export function applyHunks(
  text: string,
  hunks: readonly Hunk[],
  { isExact = false } = {},
): string | undefined {
  const lines = linesOf(text)
  const replacements = findReplacements(
    lines.map((line) => line.text),
    hunks,
    isExact ? ways.slice(0, 1) : ways,
  )
  if (replacements === undefined) return undefined
  const newEnd = lines[0]?.end || '\n'
  const result: Line[] = []
  let from = 0
  for (const { at, count, put } of replacements.toSorted((a, b) => a.at - b.at)) {
    if (at < from) return undefined
    for (const line of lines.slice(from, at)) result.push(line)
    for (const line of put) result.push({ text: line, end: newEnd })
    from = at + count
  }
  for (const line of lines.slice(from)) result.push(line)
  return result.map((line) => line.text + (line.end || newEnd)).join('')
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let from = 0
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ text: text.slice(from, index), end })
    from = index + end.length
  }
  if (from < text.length) lines.push({ text: text.slice(from), end: '' })
  return lines
}

type Way = (line: string) => string

const ways: readonly Way[] = [(line) => line, trimBlanksAtEnd, trimBlanks, plainPunctuation]

function findReplacements(
  lines: readonly string[],
  hunks: readonly Hunk[],
  tried: readonly Way[],
): Replacement[] | undefined {
  const find = finderIn(lines, tried)
  const replacements: Replacement[] = []
  let from = 0
  for (const hunk of hunks) {
    const context = hunk.context === undefined ? from - 1 : find([hunk.context], { from, isEnd: false })
    if (context === undefined) return undefined
    from = context + 1
    const found = findHunk(hunk, { lines, find, from })
    if (found === undefined) return undefined
    replacements.push(...found.replacements)
    from = found.end
  }
  return replacements
}

interface Search {
  readonly lines: readonly string[]
  readonly find: ReturnType<typeof finderIn>
  readonly from: number
}

function findHunk(
  hunk: Hunk,
  { lines, find, from }: Search,
): { replacements: Replacement[]; end: number } | undefined {
  const { isEnd } = hunk
  const { old, put, shared } = sidesOf(hunk)
  if (old.length === 0) return { replacements: [{ at: lines.length, count: 0, put }], end: from }
  const at = find(old, { from, isEnd })
  if (at !== undefined)
    return { replacements: replacementsAt(at, { count: old.length, put, shared }), end: at + old.length }
  // An empty last line may stand for the line end before it.
  if (old.at(-1) !== '') return undefined
  const count = old.length - 1
  const start = find(old.slice(0, -1), { from, isEnd })
  if (start === undefined) return undefined
  const rest = put.at(-1) === '' ? put.slice(0, -1) : put
  return { replacements: replacementsAt(start, { count, put: rest, shared }), end: start + count }
}

/** The lines to find, their replacement, and the common lines on either side. */
function sidesOf({ lines }: Hunk) {
  const [old, put, shared]: [string[], string[], [number, number][]] = [[], [], []]
  for (const { sign, text } of lines) {
    if (sign === ' ') shared.push([old.length, put.length])
    if (sign !== '+') old.push(text)
    if (sign !== '-') put.push(text)
  }
  return { old, put, shared }
}

/** Context lines stay as they are in the file. */
function replacementsAt(
  start: number,
  { count, put, shared }: { count: number; put: readonly string[]; shared: readonly [number, number][] },
): Replacement[] {
  const replacements: Replacement[] = []
  let [fromOld, fromPut] = [0, 0]
  const replaceUpTo = (old: number, to: number) => {
    if (old !== fromOld || to !== fromPut)
      replacements.push({ at: start + fromOld, count: old - fromOld, put: put.slice(fromPut, to) })
  }
  for (const [old, to] of shared) {
    if (old >= count || to >= put.length) break
    replaceUpTo(old, to)
    ;[fromOld, fromPut] = [old + 1, to + 1]
  }
  replaceUpTo(count, put.length)
  return replacements
}

/** Tries every form of matching in turn: exact, without trailing blanks, without surrounding blanks, with plain punctuation. */
function finderIn(lines: readonly string[], tried: readonly Way[]) {
  const plain = new Map<Way, readonly string[]>()
  return (
    wanted: readonly string[],
    { from, isEnd }: { from: number; isEnd: boolean },
  ): number | undefined => {
    if (wanted.length === 0) return from
    const first = isEnd ? Math.max(from, lines.length - wanted.length) : from
    for (const way of tried) {
      const have = plain.get(way) ?? lines.map(way)
      plain.set(way, have)
      const want = wanted.map(way)
      for (let at = first; at <= have.length - want.length; at++)
        if (want.every((line, index) => have[at + index] === line)) return at
    }
    return undefined
  }
}

function plainPunctuation(line: string): string {
  return trimBlanks(line)
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u2018-\u201b]/g, "'")
    .replaceAll(/[\u201c-\u201f]/g, '"')
    .replaceAll(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ')
}
