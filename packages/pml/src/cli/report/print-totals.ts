import type { ApprovalReport } from '@pml/core/schemas'
import { listed, type Section, type Sheet } from './sheet.ts'

const words = {
  blocked: 'blocked',
  approved: 'approved',
  rejected: 'rejected',
  used: 'used',
  expired: 'expired',
  open: 'waiting',
} as const

export function printTotals({ since, until, totals }: ApprovalReport, sheet: Sheet): Section {
  const numbers = Object.entries(words).map(([key, word]) => `${totals[key as keyof typeof words]} ${word}`)
  const days = Math.round((Date.parse(until) - Date.parse(since)) / 86_400_000)
  const range = `${since.slice(0, 10)} to ${until.slice(0, 10)} (${days === 1 ? '1 day' : `${days} days`}, UTC)`
  return [sheet.title(`Approvals, ${range}`), ...listed(numbers, sheet)]
}
