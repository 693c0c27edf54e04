import type { Suggestion } from '@pml/core/schemas'
import { chop, cut, INDENT, sayMore, type Section, type Sheet } from './sheet.ts'

const MOST = 20

/** The whole pattern: whoever adds it must have read it. */
export function printSuggestions(suggestions: readonly Suggestion[], sheet: Sheet): Section {
  if (suggestions.length === 0) return []
  const room = sheet.width - INDENT.length * 2
  const lines = suggestions.slice(0, MOST).flatMap(({ type, approvals, pattern, examples }) => {
    const paths = examples.map(({ path }) => path).join(', ')
    return [
      `${INDENT}${type}: ${approvals} approved, none rejected`,
      ...chop(pattern, room).map((line) => `${INDENT}${INDENT}${line}`),
      `${INDENT}${INDENT}${cut(`such as ${paths}`, room)}`,
    ]
  })
  return [
    sheet.title('Suggested patterns: add one if you agree with it'),
    ...lines,
    ...sayMore(suggestions.length - MOST),
  ]
}
