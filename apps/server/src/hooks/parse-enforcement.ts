import { PmlError } from '@pml/core'
import { parsePolicy, type Policy } from '@pml/hooks'
import { explainProblems } from '@pml/hooks/explain-problems'
import { compileLinear } from './compile-linear.ts'

/** The policy of the registry: the file is all of it. One error names every problem with its line and column. */
export function parseEnforcement(text: string, file: string): Policy {
  try {
    return parsePolicy(text, file, { compile: compileLinear, installation: [] })
  } catch (error) {
    throw error instanceof PmlError ? explainProblems(error, { text, file }) : error
  }
}
