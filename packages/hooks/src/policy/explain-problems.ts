import { JsonSource } from '@pml/core/json-source'
import { PmlError } from '@pml/core/errors'
import type { PolicyProblem } from './checks.ts'

/** Adds the line and column of each problem for a person. Needs a JSON parser, which a decision does not load. */
export function explainProblems(error: PmlError, { text, file }: { text: string; file: string }): PmlError {
  const problems = (error.detail['problems'] ?? []) as readonly PolicyProblem[]
  try {
    const source = new JsonSource(text, file)
    for (const { place, message } of problems) source.reportAt([...place], message)
    source.requireSound()
    return error
  } catch (explained) {
    if (explained instanceof PmlError) return explained
    throw explained
  }
}
