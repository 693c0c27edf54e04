import type { ApprovalReport } from '@pml/core/schemas'
import { printDuration } from './print-duration.ts'
import { listed, type Section, type Sheet } from './sheet.ts'

export function printTimes(times: ApprovalReport['timeToDecision'], sheet: Sheet): Section {
  const { medianSeconds, p90Seconds, fastestSeconds, slowestSeconds } = times
  const named = {
    median: medianSeconds,
    p90: p90Seconds,
    fastest: fastestSeconds,
    slowest: slowestSeconds,
  }
  const parts = Object.entries(named).flatMap(([name, seconds]) =>
    seconds === null ? [] : [`${name} ${printDuration(seconds)}`],
  )
  return parts.length === 0 ? [] : [sheet.title('From block to decision'), ...listed(parts, sheet)]
}
