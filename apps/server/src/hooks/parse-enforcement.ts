import { PmlError } from '@pml/core'
import { parsePolicy, type Policy } from '@pml/hooks'
import { explainProblems } from '@pml/hooks/explain-problems'
import { compileLinear } from './compile-linear.ts'

/** The registry's policy and its source text. */
export interface Enforcement {
  readonly policy: Policy
  readonly text: string
  readonly file: string
}

/** Parses a complete policy, without defaults. One error lists every problem with its line and column. */
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
