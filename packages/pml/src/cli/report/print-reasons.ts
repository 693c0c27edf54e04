import type { ApprovalReport } from '@pml/core/schemas'
import { alignRight, cut, INDENT, sayMore, widest, type Section, type Sheet } from './sheet.ts'

const MOST = 8

export function printReasons(reasons: ApprovalReport['rejectionReasons'], sheet: Sheet): Section {
  if (reasons.length === 0) return []
  const shown = reasons.slice(0, MOST)
  const counts = alignRight(shown.map(({ count }) => String(count)))
  const room = sheet.width - INDENT.length * 2 - widest(counts)
  const lines = shown.map(({ reason }, row) => `${INDENT}${counts[row]}${INDENT}${cut(reason, room)}`)
  return [sheet.title('Why changes were rejected'), ...lines, ...sayMore(reasons.length - MOST)]
}
