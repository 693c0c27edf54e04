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

/** The name of anything below a folder; what follows the dots is what its own name is like. */
export function anythingBelow(name = ''): string {
  return hole(`…${name}`)
}

/** `*` for each hole, `**` for anything below; undefined where the first of them may lead anywhere. */
export function patternOf(word: string): string | undefined {
  if (/^\0(?![*?[])/.test(word)) return undefined
  return word.replaceAll(/\0([^\0]*)\0/g, (_, source: string) =>
    source.startsWith('…') ? `**${source.slice(1)}` : '*',
  )
}

/** What is known for certain behind the last hole: `/eslint` of `$(npm bin)/eslint`. */
export function knownTail(word: string): string {
  return word.slice(word.lastIndexOf(EDGE) + 1)
}

/** A NUL of the input would look like a hole; no shell lets one through either. */
export function withoutEdges(text: string): string {
  return text.replaceAll(EDGE, '')
}
