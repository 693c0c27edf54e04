import { PmlError } from '@pml/core'
import { LONGEST_PATTERN } from '@pml/core/approvals'
import { showInvisible } from '@pml/core/show-invisible'
import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js'

/** A pattern that compiles, is small and can be read. Only `compilePattern` makes one. */
export interface CompiledPattern {
  readonly text: string
  readonly engine: RE2JS
}

/** `^` and `$` are the ends of a line. */
export const patternFlags = RE2JS.MULTILINE

/** Instructions: at worst each of them is looked at for every character of the content. */
const LARGEST_PROGRAM = 2000

/** The engine takes time in proportion to the content, whatever the pattern; it has no lookaround for that reason. */
export function compilePattern(text: string): CompiledPattern {
  if (text.length > LONGEST_PATTERN)
    throw invalid(text, `expected at most ${LONGEST_PATTERN} characters, got ${text.length}`)
  if (showInvisible(text) !== text)
    throw invalid(text, String.raw`it has characters that cannot be seen; write them as \x{200b}`)
  const engine = compile(text)
  const size = engine.programSize()
  if (size <= LARGEST_PROGRAM) return { text, engine }
  throw invalid(text, `expected at most ${LARGEST_PROGRAM} steps, got ${size}; repeat less`)
}

const LINE_FEED = 10

/** Whether a match can hold a line end, and so reach from one line into the next. */
export function spansLines({ engine }: CompiledPattern): boolean {
  const { inst } = engine.re2().prog as { inst: readonly { matchRune(rune: number): boolean }[] }
  return inst.some((instruction) => instruction.matchRune(LINE_FEED))
}

export function invalid(text: string, problem: string): PmlError {
  const shown = JSON.stringify(showInvisible(text.length > 80 ? `${text.slice(0, 80)}…` : text))
  return new PmlError('invalid_pattern', `Cannot use pattern ${shown}: ${problem}`)
}

function compile(text: string): RE2JS {
  try {
    return RE2JS.compile(text, patternFlags)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw invalid(text, `expected RE2 syntax, without lookaround and back-references, got ${describe(error)}`)
  }
}

/** The engine repeats the rest of the pattern, with the flag it was given in front. */
function describe(error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) return error.message
  const at = error.getPattern()?.replace(/^\(\?m\)/, '') ?? ''
  return at === ''
    ? error.getDescription()
    : `${error.getDescription()} at ${JSON.stringify(at.slice(0, 40))}`
}
