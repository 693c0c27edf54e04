/**
 * A word of which a part is not known before it is run carries holes: the source of that part between two NULs, which
 * no word of a shell can hold. So words stay plain strings, and whatever is known in front of a hole can be read.
 */
const EDGE = '\0'

export function hole(source: string): string {
  return EDGE + source.replaceAll(EDGE, '') + EDGE
}

export function isKnown(word: string): boolean {
  return !word.includes(EDGE)
}

/** For a person: the source stands where the value is not known. */
export function readable(word: string): string {
  return word.replaceAll(EDGE, '')
}

/** What is known for certain behind the last hole: `/eslint` of `$(npm bin)/eslint`. */
export function knownTail(word: string): string {
  return word.slice(word.lastIndexOf(EDGE) + 1)
}

/** A NUL of the input would look like a hole; no shell lets one through either. */
export function withoutEdges(text: string): string {
  return text.replaceAll(EDGE, '')
}
