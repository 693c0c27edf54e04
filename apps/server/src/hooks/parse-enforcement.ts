import { PmlError } from '@pml/core'
import { parsePolicy, type Policy } from '@pml/hooks'
import { explainProblems } from '@pml/hooks/explain-problems'
import { compileLinear } from './compile-linear.ts'

/** The policy of the registry, and the text that it was read from. */
export interface Enforcement {
  readonly policy: Policy
  readonly text: string
  readonly file: string
}

/** The file is all of it: nothing stands behind it. One error names every problem with its line and column. */
export function parseEnforcement(text: string, file: string): Enforcement {
  try {
    return {
      policy: parsePolicy(text, file, { compile: compileLinear, examples: 'skip', installation: [] }),
      text,
      file,
    }
  } catch (error) {
    throw error instanceof PmlError ? explainProblems(error, { text, file }) : error
  }
}
