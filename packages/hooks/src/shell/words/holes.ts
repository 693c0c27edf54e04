/**
 * A partly unknown word contains holes: the source of the unknown part between two NULs, which no shell word can contain. So
 * words stay plain strings, and the known text before a hole can be read.
 */
const EDGE = '\0'

export function hole(source: string): string {
  return EDGE + source.replaceAll(EDGE, '') + EDGE
}

export function isKnown(word: string): boolean {
  return !word.includes(EDGE)
}

/** For a person: shows the source of unknown values. */
export function readable(word: string): string {
  return word.replaceAll(EDGE, '')
}

/** The name of anything below a folder; the text after the dots matches its own name. */
export function anythingBelow(name = ''): string {
  return hole(`…${name}`)
}

/** `*` for each hole, `**` for anything below; undefined if the first hole may lead anywhere. */
export function patternOf(word: string): string | undefined {
  if (/^\0(?![*?[])/.test(word)) return undefined
  return word.replaceAll(/\0([^\0]*)\0/g, (_, source: string) =>
    source.startsWith('…') ? `**${source.slice(1)}` : '*',
  )
}

/** The known text after the last hole: `/eslint` of `$(npm bin)/eslint`. */
export function knownTail(word: string): string {
  return word.slice(word.lastIndexOf(EDGE) + 1)
}

/** A NUL in the input would look like a hole; shells drop NULs too. */
export function withoutEdges(text: string): string {
  return text.replaceAll(EDGE, '')
}
