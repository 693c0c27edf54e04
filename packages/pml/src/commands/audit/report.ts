import type { ApprovalReport } from '@pml/core/schemas'
import { definePrint } from '../command.ts'
import { printBars } from '../report-bars.ts'
import { printSparkline } from '../report-sparkline.ts'
import {
  alignRight,
  chop,
  cut,
  harmless,
  INDENT,
  listed,
  printDuration,
  printSections,
  sayMore,
  sheetFor,
  widest,
  type Section,
  type Sheet,
} from '../report-sheet.ts'
import { printSuggestions } from '../pattern/suggest.ts'
import { printFlagList } from './flags.ts'

const MOST_PATTERNS = 10
const MOST_REASONS = 8
const MOST_RULES = 12
const DAY_MS = 86_400_000

/** Empty sections are left out. */
export default definePrint<ApprovalReport>((answer, layout) => {
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
})

function printTotals({ since, until, totals }: ApprovalReport, sheet: Sheet): Section {
  const { blocked, approved, rejected, used, expired, open } = totals
  const numbers = Object.entries({ blocked, approved, rejected, used, expired, waiting: open })
  const days = Math.round((Date.parse(until) - Date.parse(since)) / DAY_MS)
  const range = `${since.slice(0, 10)} to ${until.slice(0, 10)} (${days === 1 ? '1 day' : `${days} days`}, UTC)`
  const parts = numbers.map(([word, count]) => `${count} ${word}`)
  return [sheet.title(`Approvals, ${range}`), ...listed(parts, sheet)]
}

function printTimes(times: ApprovalReport['timeToDecision'], sheet: Sheet): Section {
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

/** The rules of hooks that blocked something, and the agents. */
function printRules(rules: ApprovalReport['blockedByRule'], sheet: Sheet): Section {
  const named = rules.map(({ count, rule, agents }) => ({ count, text: `${rule}  ${agents.join(', ')}` }))
  return printCounts('Blocked by rule', named, { most: MOST_RULES, sheet })
}

function printReasons(reasons: ApprovalReport['rejectionReasons'], sheet: Sheet): Section {
  const named = reasons.map(({ count, reason }) => ({ count, text: reason }))
  return printCounts('Why changes were rejected', named, { most: MOST_REASONS, sheet })
}

function printCounts(
  title: string,
  all: readonly { readonly count: number; readonly text: string }[],
  { most, sheet }: { most: number; sheet: Sheet },
): Section {
  if (all.length === 0) return []
  const shown = all.slice(0, most)
  const counts = alignRight(shown.map(({ count }) => String(count)))
  const room = sheet.width - INDENT.length * 2 - widest(counts)
  const lines = shown.map(({ text }, row) => `${INDENT}${counts[row]}${INDENT}${cut(text, room)}`)
  return [sheet.title(title), ...lines, ...sayMore(all.length - most)]
}

/** Patterns with their number of uses, and how often reviewers agreed with them. */
function printPatterns(patterns: ApprovalReport['patterns'], sheet: Sheet): Section {
  if (patterns.length === 0) return []
  const shown = patterns.slice(0, MOST_PATTERNS)
  const uses = alignRight(['uses', ...shown.map(({ uses }) => String(uses))])
  const overturned = alignRight(['overturned', ...shown.map(({ overturned }) => String(overturned))])
  const right = alignRight(['right', ...shown.map(({ effectiveness }) => percentOf(effectiveness))])
  const notes = uses.map((count, row) => `${count}${INDENT}${overturned[row]}${INDENT}${right[row]}`)
  const room = sheet.width - INDENT.length - widest(notes)
  const names = shown.map(({ kind, type, pattern }) => cut(`${INDENT}${kind} ${type}  ${pattern}`, room))
  const rows = ['Patterns in force', ...names]
  const [title = '', ...lines] = rows.map((name, row) => `${name.padEnd(room)}${INDENT}${notes[row]}`)
  return [sheet.title(title), ...lines, ...sayMore(patterns.length - MOST_PATTERNS)]
}

function percentOf(share: number | null): string {
  return share === null ? '-' : `${Math.floor(share * 100)} %`
}

/** Patterns that must be replaced, with the problem of each. */
function printDisabledPatterns(disabled: ApprovalReport['disabledPatterns'], sheet: Sheet): Section {
  if (disabled.length === 0) return []
  const room = sheet.width - INDENT.length * 2
  const lines = disabled.flatMap(({ id, type, pattern, reason, disabledAt }) => [
    `${INDENT}${cut(`${id} (${type}), disabled ${disabledAt.slice(0, 10)}`, room)}`,
    ...[pattern, reason].flatMap((text) => chop(text, room)).map((line) => `${INDENT}${INDENT}${line}`),
  ])
  return [sheet.title('Disabled patterns: replace those you need'), ...lines]
}
