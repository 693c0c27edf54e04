import type { PmlError } from '@pml/core/errors'
import type { Issue } from '../check-values.ts'
import { flagOf } from '../parameters.ts'
import { heading, type Layout, printable } from './layout.ts'
import { printCell } from './print-cell.ts'

/** Prints an error for a person: one line per problem, then the fix. */
export function printError(error: PmlError, hint: string | undefined, layout: Layout): string {
  const issues = issuesOf(error)
  const lines =
    issues.length > 1
      ? [`${error.message.split(':', 1)[0]}:`, ...issues.map((issue) => `  ${printIssue(issue)}`)]
      : [error.message]
  const fix = hint === undefined ? [] : [hint]
  return `${heading('error:', layout)} ${printable([...lines, ...fix].join('\n'))}\n`
}

/** Untrusted data may have another shape. */
function issuesOf({ code, detail: { issues } }: PmlError): Issue[] {
  if (code !== 'invalid_arguments' || !Array.isArray(issues)) return []
  return issues.every(
    (issue: Partial<Issue> | null) => Array.isArray(issue?.path) && typeof issue?.message === 'string',
  )
    ? (issues as Issue[])
    : []
}

/** Shows a parameter as the typed flag, on one line, because an issue may come from a registry. */
function printIssue({ path: [first, ...rest], message }: Issue): string {
  if (typeof first !== 'string') return printCell(message)
  const name = /^[A-Za-z]\w*$/.test(first) ? `--${flagOf(first)}` : first
  return printCell(`${[name, ...rest].join('.')}: ${message}`)
}
