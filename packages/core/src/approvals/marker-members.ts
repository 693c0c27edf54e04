import type { Marker, Unmarked } from './marker.ts'
import { findSpecialist } from './tokens.ts'

/** A member of the outermost object with the white space on both sides of it; `marker` if it is nothing but one. */
interface Part {
  readonly text: string
  readonly at: number
  readonly marker: { readonly before: string; readonly token: string; readonly after: string } | undefined
}

const memberPattern = /^(\s*)"_approval_token"[ \t]*:[ \t]*"([0-9A-Za-z-]+)"(\s*)$/

/**
 * Takes `"_approval_token": "<token>"` out of a text that is one JSON object, and leaves the text from before it was
 * added. A key written with escapes, a value that is no token and a member further down all stay.
 */
export function takeMarkerMembers(text: string): Unmarked {
  if (!text.includes('"_approval_token"') || !isJsonObject(text)) return { text, markers: [] }
  const ends = memberEnds(text)
  const parts = ends.slice(1).map((end, index) => readPart(text, (ends[index] ?? 0) + 1, end))
  const markers = markersOf(text, parts)
  if (markers.length === 0) return { text, markers }
  const [start, end] = [text.slice(0, (ends[0] ?? 0) + 1), text.slice(ends.at(-1))]
  return { text: `${start}${withoutMarkers(parts).join(',')}${end}`, markers }
}

function isJsonObject(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Where the outermost object opens, where its members are parted, and where it closes. */
function memberEnds(json: string): number[] {
  const ends: number[] = []
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const char = json[at]
    if (char === '"') at = closingQuote(json, at)
    if (char === '{' || char === '[') depth++
    if (depth === 1 && (char === '{' || char === ',' || char === '}')) ends.push(at)
    if (char === '}' || char === ']') depth--
  }
  return ends
}

function closingQuote(json: string, opening: number): number {
  let at = opening + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

function readPart(json: string, at: number, end: number): Part {
  const text = json.slice(at, end)
  const [, before = '', token = '', after = ''] = memberPattern.exec(text) ?? []
  return { text, at, marker: findSpecialist(token) === undefined ? undefined : { before, token, after } }
}

function markersOf(text: string, parts: readonly Part[]): Marker[] {
  const markers: Marker[] = []
  let [line, counted] = [1, 0]
  for (const { at, marker } of parts) {
    if (marker === undefined) continue
    const start = at + marker.before.length
    line += text.slice(counted, start).split('\n').length - 1
    counted = start
    const name = findSpecialist(marker.token) ?? ''
    markers.push({ name, token: marker.token, line, style: 'member' })
  }
  return markers
}

/**
 * A marker goes with one comma and with the white space it brought. Which side of it is its own cannot be known, so
 * what is left is what fits the rest of the object; an object that held nothing else becomes `{}`.
 */
function withoutMarkers(parts: readonly Part[]): string[] {
  const lastText = parts.at(-1)?.text ?? ''
  const closing = lastText.slice(lastText.trimEnd().length)
  const kept: string[] = []
  let before: string | undefined
  for (const { text, marker } of parts) {
    if (marker !== undefined) {
      before ??= marker.before
      continue
    }
    const bare = text.trimStart()
    const after = text.slice(0, text.length - bare.length)
    kept.push((kept.length === 0 ? openingSpace(before, after, closing) : partingSpace(before, after)) + bare)
    before = undefined
  }
  const last = kept.pop()
  if (last !== undefined) kept.push(before === undefined ? last : last.trimEnd() + closing)
  return kept
}

/** An object opens as it closes: both on a line of their own, or both with the same space. */
function openingSpace(before: string | undefined, after: string, closing: string): string {
  const fits = (space: string) => (space.includes('\n') ? closing.includes('\n') : space === closing)
  return before === undefined || (!fits(before) && fits(after)) ? after : before
}

/** A member on a line of its own stays on one; otherwise the wider space came with the marker. */
function partingSpace(before: string | undefined, after: string): string {
  if (before === undefined) return after
  if (before.includes('\n') !== after.includes('\n')) return before.includes('\n') ? before : after
  return before.length < after.length ? before : after
}
