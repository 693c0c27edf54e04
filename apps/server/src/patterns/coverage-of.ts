import { withLineFeeds } from '@pml/core/approvals'
import type { CompiledPattern } from './compile-pattern.ts'

/**
 * The most characters that the engine may scan. Each match may scan the rest of the content, so many matches in long
 * content could take quadratic time. Content beyond the limit counts as not covered.
 */
export const MOST_WORK = 2_000_000

/** Reports whether a block pattern matches anywhere, with the line ends unchanged or replaced by LF. */
export function isFound({ engine }: CompiledPattern, content: string): boolean {
  return engine.test(content) || engine.test(withLineFeeds(content))
}

/**
 * Returns the share of non-blank characters that the pattern's matches contain, or nothing if a line that is not blank
 * has no match. Matches are searched line by line. A small share is suspicious.
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

/** Counts covered characters of a line; stops when the work limit is reached. */
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
