import type { ApprovalReport } from '@pml/core/schemas'
import { alignRight, cut, INDENT, sayMore, widest, type Section, type Sheet } from './sheet.ts'

const MOST = 12

/** Which rules of hooks held something back, and from which agents. */
export function printRules(rules: ApprovalReport['blockedByRule'], sheet: Sheet): Section {
  if (rules.length === 0) return []
  const shown = rules.slice(0, MOST)
  const counts = alignRight(shown.map(({ count }) => String(count)))
  const room = sheet.width - INDENT.length * 2 - widest(counts)
  const lines = shown.map(
    ({ rule, agents }, row) =>
      `${INDENT}${counts[row]}${INDENT}${cut(`${rule}  ${agents.join(', ')}`, room)}`,
  )
  return [sheet.title('Blocked by rule'), ...lines, ...sayMore(rules.length - MOST)]
}
