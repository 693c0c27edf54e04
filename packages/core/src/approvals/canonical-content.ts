import type { Integrity } from '../integrity.ts'
import { integrityOf } from '../integrity-of.ts'
import type { Marker, Unmarked } from './marker.ts'
import { takeMarkerLines } from './marker-lines.ts'
import { takeMarkerMembers } from './marker-members.ts'

const encoder = new TextEncoder()

/**
 * The form in which content is compared: lines end with LF, also those that ended with CRLF; one LF ends the text, in
 * place of none or many, so that empty text is one LF; no byte order mark at the start; no approval markers. A CR
 * elsewhere stays: to a shell it ends no line, so what follows it would be code in one form and a comment in the other.
 *
 * No language is parsed, so a marker line within a string of many lines goes as well. That is accepted: what two
 * contents of one hash can differ in is a line, or a JSON member, that holds nothing but a token. Where such a line is
 * no comment it could mean something, as `-- X` does in C: whoever spends an approval asks `isCommentIn`.
 */
export function canonicalContent(text: string): string {
  return unmark(text).text
}

export function contentHashOf(text: string): Integrity {
  return integrityOf(encoder.encode(canonicalContent(text)))
}

/** The markers that `canonicalContent` takes out, in the order of their lines. */
export function markersIn(text: string): readonly Marker[] {
  return unmark(text).markers
}

function unmark(text: string): Unmarked {
  const lines = takeMarkerLines(withLineFeeds(text))
  const members = takeMarkerMembers(lines.text)
  const moved = members.markers.map((marker) => {
    return { ...marker, line: lines.lineNumbers?.[marker.line - 1] ?? marker.line }
  })
  const markers = [...lines.markers, ...moved].sort((a, b) => a.line - b.line)
  return { text: `${withoutLastLineEnds(members.text)}\n`, markers }
}

function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.split('\n').map(withoutLastLineEnds).join('\n') : text
}

/** Not by a pattern: those try again at every CR of a long run in the middle. */
function withoutLastLineEnds(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end--
  return text.slice(0, end)
}
