import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PmlError } from '@pml/core'
import { compileNative, parsePolicy, runExamples, type ExampleResult, type Policy } from '@pml/hooks'
import { explainProblems } from '@pml/hooks/explain-problems'
import { readCommand } from '@pml/hooks/shell'
import { fileError } from '../machine/files/file-error.ts'
import { readRegular } from '../machine/files/read-plain-file.ts'
import { POLICY_LIMIT_BYTES } from './read-guarded.ts'

interface TriedPolicy {
  readonly ok: boolean
  /** The file of the policy. */
  readonly policy: string
  readonly rules: number
  readonly examples: number
  readonly failed: FailedExample[]
  /** Rules without examples. */
  readonly untried: string[]
}

interface FailedExample {
  readonly rule: string
  readonly expected: string
  readonly example: string
}

/** Runs the examples of all rules of the workspace, its own and the built-in ones. */
export async function tryPolicy(
  root: string,
  { defaults, file }: { defaults: URL; file?: string },
): Promise<TriedPolicy> {
  const base = parse(await readFile(defaults, 'utf8'), 'the built-in policy')
  const own = file ?? join(root, '.pml', 'enforcement.json')
  const text = findText(own, file !== undefined)
  const policy = text === undefined ? base : parse(text, own, base)
  const results = runExamples(policy, readCommand)
  const failed = results.filter(({ ok }) => !ok)
  const tried = new Set(results.map(({ rule }) => rule))
  return {
    ok: failed.length === 0,
    policy: policy.file,
    rules: policy.rules.length,
    examples: results.length,
    failed: failed.map(printFailed),
    untried: policy.rules.map(({ id }) => id).filter((id) => !tried.has(id)),
  }
}

function parse(text: string, file: string, base?: Policy): Policy {
  try {
    return parsePolicy(text, file, {
      compile: compileNative,
      examples: 'read',
      installation: [],
      ...(base && { base }),
    })
  } catch (error) {
    throw error instanceof PmlError ? explainProblems(error, { text, file }) : error
  }
}

function findText(file: string, isRequired: boolean): string | undefined {
  try {
    return readRegular(file, POLICY_LIMIT_BYTES).bytes.toString('utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !isRequired) return undefined
    throw fileError('read', file, error)
  }
}

function printFailed({ rule, expected, example }: ExampleResult): FailedExample {
  return {
    rule,
    expected: expected === 'match' ? 'to match, but it passes' : 'to pass, but it matches',
    example: JSON.stringify(example),
  }
}
