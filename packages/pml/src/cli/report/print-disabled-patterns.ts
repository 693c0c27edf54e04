import type { ApprovalReport } from '@pml/core/schemas'
import { chop, cut, INDENT, type Section, type Sheet } from './sheet.ts'

/** Patterns that somebody has to replace, with what is wrong with each. */
export function printDisabledPatterns(disabled: ApprovalReport['disabledPatterns'], sheet: Sheet): Section {
  if (disabled.length === 0) return []
  const room = sheet.width - INDENT.length * 2
  const lines = disabled.flatMap(({ id, type, pattern, reason, disabledAt }) => [
    `${INDENT}${cut(`${id} (${type}), disabled ${disabledAt.slice(0, 10)}`, room)}`,
    ...[pattern, reason].flatMap((text) => chop(text, room)).map((line) => `${INDENT}${INDENT}${line}`),
  ])
  return [sheet.title('Disabled patterns: replace those you need'), ...lines]
}
