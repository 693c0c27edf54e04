import type { ObservedWriter } from '../../description/agent.ts'
import type { Edit } from '../../event.ts'
import { applyHunks } from '../../writes/apply-hunks.ts'
import { BOM, countLineEnds, withCrLf, withLf } from '../../writes/line-ends.ts'
import type { Hunk } from '../../writes/parse-patch.ts'
import { editAll, type Overwrite } from '../../writes/writer.ts'

/**
 * Copilot CLI: `create`, `edit` and `apply_patch`. Text without an exact match is searched loosely, so the result
 * is unknown.
 */
export const writer: ObservedWriter = { write, edit, patch, standsFor: ['patch'] }

/** `create` refuses existing files. */
function write({ content }: Overwrite): string {
  return content
}

function edit(text: string, edits: readonly Edit[]): string | undefined {
  return editAll(text, edits, editOnce)
}

/** Changes the match only. New text gets the line ends of the file; other lines keep theirs. */
function editOnce(text: string, { before, after, all }: Edit): string | undefined {
  if (all) return undefined
  if (before === '') return text === '' && !after.includes('\r') ? after : undefined
  const place = findOnce(text, before) ?? findLines(text, before)
  const put = place && inStyleOf(text, after)
  if (place === undefined || put === undefined) return undefined
  const rest = text.slice(place.end)
  const taken = after === '' ? lineEndTaken(text, { ...place, before }) : 0
  return taken === undefined ? undefined : text.slice(0, place.start) + put + rest.slice(taken)
}

interface Place {
  readonly start: number
  readonly end: number
}

function findOnce(text: string, wanted: string): Place | undefined {
  if (text.split(wanted).length !== 2) return undefined
  const start = text.indexOf(wanted)
  return { start, end: start + wanted.length }
}

/** Finds whole lines with other line ends. Inside a line Copilot may also change the blanks around the match. */
function findLines(text: string, before: string): Place | undefined {
  if (text.includes(before)) return undefined
  const place = findOnce(text, text.includes('\r\n') ? withCrLf(before) : withLf(before))
  if (place === undefined || !startsLine(text, place.start)) return undefined
  return before.endsWith('\n') || /^(?:\r?\n|$)/.test(text.slice(place.end)) ? place : undefined
}

/** In a file with mixed line ends Copilot looks at the first lines only, and it is unknown how many. */
function inStyleOf(text: string, after: string): string | undefined {
  if (!after.includes('\n')) return after
  const { crLf, lf } = countLineEnds(text)
  if (crLf > 0) return lf > 0 ? undefined : withCrLf(after)
  return lf === 0 && after.includes('\r\n') ? undefined : withLf(after)
}

/** How many characters of the line end are deleted too: all of them if the match starts a line. */
function lineEndTaken(
  text: string,
  { start, end, before }: Place & { readonly before: string },
): number | undefined {
  const lineEnd = /^\r?\n/.exec(text.slice(end, end + 2))?.[0]
  if (lineEnd === undefined) return 0
  if (before.endsWith('\n') || text.slice(0, start) === BOM) return undefined
  return startsLine(text, start) ? lineEnd.length : 0
}

function startsLine(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n'
}

/** Like Codex when every line matches exactly, but the end of the file is kept. */
function patch(text: string, hunks: readonly Hunk[]): string | undefined {
  const { crLf, lf } = countLineEnds(text)
  const isPlain = crLf === 0 || lf === 0
  if (!isPlain || /\r(?!\n)/.test(text) || text.startsWith(BOM)) return undefined
  if (hunks.some(({ context, lines }) => context !== undefined && lines.every(({ sign }) => sign === '+')))
    return undefined
  const patched = applyHunks(text, hunks, { isExact: true })
  return text.endsWith('\n') ? patched : patched?.replace(/\r?\n$/, '')
}
