import type { ApprovalReport, FlagList, SuggestionList } from '@pml/core/schemas'
import type { Layout } from '@pml/tools/cli'
import { printBars } from './report/print-bars.ts'
import { printDisabledPatterns } from './report/print-disabled-patterns.ts'
import { printFlagList } from './report/print-flag-list.ts'
import { printPatterns } from './report/print-patterns.ts'
import { printReasons } from './report/print-reasons.ts'
import { printRules } from './report/print-rules.ts'
import { printSparkline } from './report/print-sparkline.ts'
import { printSuggestions } from './report/print-suggestions.ts'
import { printTimes } from './report/print-times.ts'
import { printTotals } from './report/print-totals.ts'
import { harmless, sheetFor, type Section } from './report/sheet.ts'

/** `pml audit report` as a person reads it; sections without anything in them are left out. */
export function printReport(answer: ApprovalReport, layout: Layout): string {
  const sheet = sheetFor(layout)
  const report = harmless(answer)
  return printSections([
    printTotals(report, sheet),
    printSparkline(report, sheet),
    printBars(report.specialists, sheet),
    printTimes(report.timeToDecision, sheet),
    printRules(report.blockedByRule, sheet),
    printReasons(report.rejectionReasons, sheet),
    printPatterns(report.patterns, sheet),
    printDisabledPatterns(report.disabledPatterns, sheet),
    printSuggestions(report.suggestions, sheet),
    printFlagList(report.flags, sheet),
  ])
}

/** `pml audit flags` as a person reads it. */
export function printFlags(answer: FlagList, layout: Layout): string {
  const { since, until, flags } = harmless(answer)
  if (flags.length > 0) return printSections([printFlagList(flags, sheetFor(layout))])
  return `Nothing to look at, ${since.slice(0, 10)} to ${until.slice(0, 10)}\n`
}

/** `pml pattern suggest` as a person reads it. */
export function printSuggestionList(answer: SuggestionList, layout: Layout): string {
  const { suggestions } = harmless(answer)
  if (suggestions.length > 0) return printSections([printSuggestions(suggestions, sheetFor(layout))])
  return 'No pattern to suggest\n'
}

function printSections(sections: readonly Section[]): string {
  const filled = sections.filter((lines) => lines.length > 0)
  return `${filled.map((lines) => lines.map((line) => line.trimEnd()).join('\n')).join('\n\n')}\n`
}
