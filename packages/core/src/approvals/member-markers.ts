import type { Marker } from './markers.ts'
import { isToken } from './tokens.ts'

/** A document with more markers keeps the others as ordinary members. */
const MOST_MARKERS = 3

const member = /^(\s*)"_approval_token"[ \t]*:[ \t]*"([0-9A-Za-z-]+)"\s*$/

/**
 * Every top-level `"_approval_token": "<token>"` of a JSON object. Escaped keys, values that are not tokens and nested members
 * do not count.
 */
export function findMemberMarkers(json: string): readonly Marker[] {
  if (!isJsonObject(json)) return []
  const ends = memberEnds(json)
  const markers = ends.slice(1).flatMap((end, index) => {
    const start = (ends[index] ?? 0) + 1
    const [, blanks = '', token = ''] = member.exec(json.slice(start, end)) ?? []
    if (!isToken(token)) return []
    const position = {
      ends,
      index,
      start: start + blanks.length,
      stop: json.indexOf(token, start) + token.length + 1,
    }
    return [{ token, originals: originalsOf(json, position) }]
  })
  return markers.slice(0, MOST_MARKERS)
}

interface Position {
  /** The positions of the outermost braces and of the commas between members. */
  readonly ends: readonly number[]
  readonly index: number
  readonly start: number
  readonly stop: number
}

/** A member was added with one comma and with blanks on one side; which side is unknown. */
function originalsOf(json: string, { ends, index, start, stop }: Position): readonly string[] {
  const [before = 0, after = 0] = [ends[index], ends[index + 1]]
  const without = (from: number, to: number) => json.slice(0, from) + json.slice(to)
  const isFirst = index === 0
  const isLast = index === ends.length - 2
  const originals: string[] = []
  if (isFirst && isLast)
    originals.push(
      without(before + 1, after),
      without(before + 1, stop),
      without(start, after),
      without(start, stop),
    )
  if (!isFirst) originals.push(without(before, stop), without(json.slice(0, before).trimEnd().length, stop))
  if (!isLast) originals.push(without(start, nextText(json, after + 1)), without(before + 1, after + 1))
  return [...new Set(originals)]
}

function nextText(json: string, from: number): number {
  return json.length - json.slice(from).trimStart().length
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

function memberEnds(json: string): readonly number[] {
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
