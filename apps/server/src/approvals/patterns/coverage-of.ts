import type { CompiledPattern } from './compile-pattern.ts'

/**
 * Characters that may be looked at. To find one match the engine may look at all that is left, so many matches in long
 * content could take the square of its length; what is not looked at is not covered.
 */
export const MOST_WORK = 2_000_000

/** A block pattern hits when it is found anywhere in the canonical content. */
export function isFound({ engine }: CompiledPattern, content: string): boolean {
  return engine.test(content)
}

/**
 * An approve pattern covers canonical content only when its matches reach into every line that is not blank: one good
 * line does not wave a bad one through. The answer is the share of characters that the matches hold, blanks left out;
 * a small share is suspicious.
 */
export function coverageOf(
  pattern: CompiledPattern,
  content: string,
  mostWork = MOST_WORK,
): number | undefined {
  const matches = matchesOf(pattern, content, mostWork)
  let match = matches.next().value
  let [inkOfAll, heldOfAll, start] = [0, 0, 0]
  for (const line of content.split('\n')) {
    let [ink, held] = [0, 0]
    for (let at = start; at < start + line.length; at++) {
      if (content[at] === ' ' || content[at] === '\t') continue
      while (match !== undefined && match.end <= at) match = matches.next().value
      ink++
      if (match !== undefined && match.start <= at) held++
    }
    if (ink > 0 && held === 0) return undefined
    inkOfAll += ink
    heldOfAll += held
    start += line.length + 1
  }
  return inkOfAll === 0 ? undefined : heldOfAll / inkOfAll
}

interface Match {
  readonly start: number
  readonly end: number
}

function* matchesOf(
  { engine }: CompiledPattern,
  content: string,
  mostWork: number,
): Generator<Match, undefined> {
  const matcher = engine.matcher(content)
  let work = content.length
  while (work <= mostWork && matcher.find()) {
    yield { start: matcher.start(), end: matcher.end() }
    work += content.length - matcher.end()
  }
  return undefined
}
