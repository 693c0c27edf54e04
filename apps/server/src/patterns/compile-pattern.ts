import { PmlError } from '@pml/core'
import { LONGEST_PATTERN } from '@pml/core/approvals'
import { showInvisible } from '@pml/core/show-invisible'
import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js'

/** A pattern that compiles, is small and has no invisible characters. Only `compilePattern` makes one. */
export interface CompiledPattern {
  readonly text: string
  readonly engine: RE2JS
}

/** `^` and `$` match at the ends of a line. */
export const patternFlags = RE2JS.MULTILINE

/** The limit in instructions. In the worst case, the engine runs each of them for every character. */
const LARGEST_PROGRAM = 2000

/** Compiles a pattern for RE2, which takes linear time for every pattern and therefore has no lookaround. */
export function compilePattern(text: string): CompiledPattern {
  if (text.length > LONGEST_PATTERN)
    throw invalid(text, `expected at most ${LONGEST_PATTERN} characters, got ${text.length}`)
  if (showInvisible(text) !== text)
    throw invalid(text, String.raw`it has invisible characters; write them as \x{200b}`)
  const engine = compile(text)
  const size = engine.programSize()
  if (size <= LARGEST_PROGRAM) return { text, engine }
  throw invalid(text, `expected at most ${LARGEST_PROGRAM} steps, got ${size}; repeat less`)
}

const LINE_FEED = 10

/** Reports whether a match can contain a line end. */
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

/** Removes the flags that the engine puts in front of the pattern it quotes. */
function describe(error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) return error.message
  const at = error.getPattern()?.replace(/^\(\?m\)/, '') ?? ''
  return at === ''
    ? error.getDescription()
    : `${error.getDescription()} at ${JSON.stringify(at.slice(0, 40))}`
}
