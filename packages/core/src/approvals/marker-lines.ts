import type { Marker, MarkerStyle, Unmarked } from './marker.ts'
import { isToken } from './tokens.ts'

const marked = String.raw`([A-Z][A-Z0-9_-]*)-APPROVED:[ \t]*([0-9A-Za-z-]+)[ \t]*`
const lineComment = new RegExp(String.raw`^[ \t]*(//|#|--)[ \t]*${marked}$`)
const closedComment = new RegExp(
  String.raw`^[ \t]*(?:(/\*)[ \t]*${marked}\*/|(<!--)[ \t]*${marked}-->)[ \t]*$`,
)

/** Byte order marks at the start of the text go too, also those that a marker was put in front of. */
export function takeMarkerLines(text: string): Unmarked & { readonly lineNumbers?: readonly number[] } {
  if (!text.includes('-APPROVED:')) return { text: withoutMarks(text), markers: [] }
  const [kept, lineNumbers, markers] = [[] as string[], [] as number[], [] as Marker[]]
  for (const [index, written] of text.split('\n').entries()) {
    const line = kept.length === 0 ? withoutMarks(written) : written
    const marker = isContinued(kept.at(-1)) ? undefined : findMarker(line, index + 1)
    if (marker !== undefined) markers.push(marker)
    else lineNumbers[kept.push(line) - 1] = index + 1
  }
  return { text: kept.join('\n'), markers, lineNumbers }
}

function withoutMarks(text: string): string {
  return text.replace(/^\u{feff}+/u, '')
}

/** What follows such a line is a part of it, and a comment there ends it: taking that away would make other code. */
function isContinued(line: string | undefined): boolean {
  return line !== undefined && /\\[ \t]*$/.test(line)
}

/** A marker is a line of its own: behind code, or within quotes on its line, it is only text. */
function findMarker(text: string, line: number): Marker | undefined {
  if (!text.includes('-APPROVED:')) return undefined
  const found = lineComment.exec(text) ?? closedComment.exec(text)
  const [style, name, token] = found?.slice(1).filter((part) => part !== undefined) ?? []
  if (name === undefined || token === undefined || !isToken(token)) return undefined
  return { name, token, line, style: style as MarkerStyle }
}
