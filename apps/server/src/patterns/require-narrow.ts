import { invalid, spansLines, type CompiledPattern } from './compile-pattern.ts'
import { coverageOf, isFound } from './coverage-of.ts'
import { ordinarySources } from './ordinary-sources.ts'

export type PatternKind = 'approve' | 'block'

/** An approve pattern that is found in more kinds of sources is too general. */
const MOST_FOUND = 2

const blanks = ['', ' ', '\t', '\n', ' \n\n\t\n']

/** Refuses a pattern that is too wide. */
export function requireNarrow(pattern: CompiledPattern, kind: PatternKind): void {
  if (blanks.some((blank) => isFound(pattern, blank)))
    throw invalid(pattern.text, 'it matches blank text; require some text')
  if (kind === 'approve' && spansLines(pattern))
    throw invalid(
      pattern.text,
      String.raw`it can match a line end, and an approve pattern must stay within a line; write [^;\n] for [^;], [ \t] for \s, and no (?s)`,
    )
  const found: string[] = []
  for (const [name, source] of Object.entries(ordinarySources)) {
    const decides = kind === 'block' ? isFound(pattern, source) : coverageOf(pattern, source) !== undefined
    if (decides)
      throw invalid(pattern.text, `it would ${kind} ${name}, which is ordinary; make it more specific`)
    if (isFound(pattern, source)) found.push(name)
  }
  if (found.length > MOST_FOUND)
    throw invalid(
      pattern.text,
      `it is found in ${found.join(', ')}, which are ordinary; make it more specific`,
    )
}
