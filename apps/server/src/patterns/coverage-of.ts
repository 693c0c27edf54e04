import { withLineFeeds } from '@pml/core/approvals'
import type { CompiledPattern } from './compile-pattern.ts'

/**
 * Characters that may be looked at. To find one match the engine may look at all that is left, so many matches in long
 * content could take the square of its length; what is not looked at is not covered.
 */
export const MOST_WORK = 2_000_000

/** A block pattern hits when it is found anywhere, with the line ends as they are or with LF in their place. */
export function isFound({ engine }: CompiledPattern, content: string): boolean {
  return engine.test(content) || engine.test(withLineFeeds(content))
}

/**
 * An approve pattern covers content only when it matches in every line that is not blank: one good line does not wave a
 * bad one through. It is matched line by line, so no match holds more than one. The answer is the share of characters
 * that the matches hold, blanks left out; a small share is suspicious.
 */
export function coverageOf(
  pattern: CompiledPattern,
  content: string,
  mostWork = MOST_WORK,
): number | undefined {
  let [ink, held, work] = [0, 0, mostWork]
  for (const line of withLineFeeds(content).split('\n')) {
    const found = coveredIn(pattern, line, work)
    if (found.ink > 0 && found.held === 0) return undefined
    ink += found.ink
    held += found.held
    work = found.workLeft
  }
  return ink === 0 ? undefined : held / ink
}

/** What is not looked at, because too much was, is not covered. */
function coveredIn({ engine }: CompiledPattern, line: string, work: number) {
  const matcher = engine.matcher(line)
  const next = () => {
    work -= line.length - at
    return work >= 0 && matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined
  }
  let [ink, held, at] = [0, 0, 0]
  let match = next()
  for (; at < line.length; at++) {
    if (line[at] === ' ' || line[at] === '\t') continue
    while (match !== undefined && match.end <= at) match = next()
    ink++
    if (match !== undefined && match.start <= at) held++
  }
  return { ink, held, workLeft: work }
}
