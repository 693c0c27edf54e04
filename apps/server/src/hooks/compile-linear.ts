import type { CompileExpression } from '@pml/hooks'
import { compilePattern } from '../patterns/compile-pattern.ts'

/** Compiles an expression for RE2, so that matching takes linear time for any content. */
export const compileLinear: CompileExpression = (source) => {
  const { engine } = compilePattern(source)
  return {
    source,
    test: (text) => engine.test(text),
    // Testing is much cheaper than locating matches.
    count: (text) => (engine.test(text) ? [...engine.matchAll(text)].length : 0),
  }
}
