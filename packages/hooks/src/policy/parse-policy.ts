import { PmlError } from '@pml/core/errors'
import { findPolicyProblems } from './check-policy.ts'
import type { PolicyProblem } from './checks.ts'
import { findRepeatedKey } from './json-keys.ts'
import { makePolicy, type PolicyReading } from './make-policy.ts'
import type { Policy } from './policy.ts'
import type { PolicyJson } from './policy-json.ts'

const MOST_PROBLEMS = 20

/** Throws `invalid_config` with `problems`, each with its place in the JSON; `explainProblems` finds lines and columns. */
export function parsePolicy(text: string, file: string, reading: PolicyReading): Policy {
  const value = parseJson(text, file)
  const problems = findPolicyProblems(value, reading)
  if (problems.length > 0) throw problemsError(file, problems)
  return makePolicy(value as PolicyJson, file, reading)
}

function parseJson(text: string, file: string): unknown {
  const plain = text.startsWith('\u{feff}') ? text.slice(1) : text
  const value = tryJson(plain, file)
  const repeated = findRepeatedKey(plain, value)
  if (repeated === undefined) return value
  const message = `expected each key once, got "${repeated.slice(0, 40)}" twice; remove one of them`
  throw problemsError(file, [{ place: [], message }])
}

function tryJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw problemsError(file, [{ place: [], message: `expected JSON: ${(error as Error).message}` }])
  }
}

function problemsError(file: string, problems: readonly PolicyProblem[]): PmlError {
  const sentences = problems.map(({ place, message }) =>
    place.length === 0 ? message : `${place.join('.')}: ${message}`,
  )
  const message = `Cannot read ${file}: ${sentences.slice(0, MOST_PROBLEMS).join('; ')}`
  return new PmlError('invalid_config', message, { problems })
}
