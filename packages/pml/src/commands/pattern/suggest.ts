import type { Suggestion, SuggestionList } from '@pml/core/schemas'
import { definePrint } from '../command.ts'
import {
  chop,
  cut,
  harmless,
  INDENT,
  printSections,
  sayMore,
  sheetFor,
  type Section,
  type Sheet,
} from '../report-sheet.ts'

const MOST = 20

export default definePrint<SuggestionList>((answer, layout) => {
  const { suggestions } = harmless(answer)
  if (suggestions.length > 0) return printSections([printSuggestions(suggestions, sheetFor(layout))])
  return 'No pattern to suggest\n'
})

/** Prints whole patterns, because a person must read a pattern before adding it. */
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
