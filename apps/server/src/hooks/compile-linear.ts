import type { CompileExpression } from '@pml/hooks'
import { compilePattern } from '../patterns/compile-pattern.ts'

/** For a policy that many agents send their contents through: time is in proportion to the content, whatever is in it. */
export const compileLinear: CompileExpression = (source) => {
  const { engine } = compilePattern(source)
  return {
    source,
    test: (text) => engine.test(text),
    // Whether there is a match at all is far cheaper to find than where.
    count: (text) => (engine.test(text) ? [...engine.matchAll(text)].length : 0),
  }
}
