import { stripVTControlCharacters } from 'node:util'
import type { ApprovalReport } from '@pml/core/schemas'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleReport } from '../../../test/sample-report.ts'
import { createCommandFiles } from '../../cli/command-files.ts'
import { createPrint } from '../../cli/program.ts'
import suggest from '../pattern/suggest.ts'
import { printDuration } from '../report-sheet.ts'
import flags from './flags.ts'
import report from './report.ts'

const printReport = report.print
const printFlags = flags.print
const printSuggestionList = suggest.print

const plain = { width: 80, hasColor: false }
const nothing: ApprovalReport = {
  ...sampleReport,
  totals: { blocked: 0, approved: 0, rejected: 0, used: 0, open: 0, expired: 0 },
  days: [],
  specialists: [],
  timeToDecision: {
    count: 0,
    medianSeconds: null,
    p90Seconds: null,
    fastestSeconds: null,
    slowestSeconds: null,
  },
  blockedByRule: [],
  rejectionReasons: [],
  patterns: [],
  disabledPatterns: [],
  suggestions: [],
  flags: [],
}

describe('the report for a person', () => {
  it('fits a terminal of 80 columns', () => {
    expect(printReport(sampleReport, plain)).toBe(
      String.raw`Approvals, 2026-10-18 to 2026-11-17 (30 days, UTC)
  121 blocked · 84 approved · 22 rejected · 71 used · 9 expired · 15 waiting

Blocked per day, 31 at most
  ·▂▂▁▃···▄█▅·····▁▅···········▄▃
  10-18                     11-17

Decisions: █ approved, ░ rejected, median time
  testguard          ███████████████████████████░░░░░░░░░    52 / 18  2 min 14 s
  critical-engineer  ███████████████░                        29 /  3  11 s
  security           █░                                       3 /  1  1 h 30 min

From block to decision
  median 2 min 8 s · p90 14 min 6 s · fastest under 1 s · slowest 1 d 2 h

Blocked by rule
  31  EXECUTABLE_IN_WORKSPACE  claude, codex
   4  TEST_METHODOLOGY  claude

Why changes were rejected
  12  Meaningless placeholder: it provides no specification
   5  No assertion⏎at all
   1  Catches every error and says nothing, so that the caller cannot tell a mi…

Patterns in force                                        uses  overturned  right
  approve test  ^expect\(\w+\(\)\)\.rejects\.toThrow\(…   140           2   98 %
  block test  expect\(true\)\.toBe\(false\)                 0           0      -

Disabled patterns: replace those you need
  pat_0f (test), disabled 2026-11-16
    ^import "[^;]+;$
    it can match a line end, and an approve pattern must stay within a line

Suggested patterns: add one if you agree with it
  test: 7 approved, none rejected
    ^import \{ it \} from 'vitest'\n\nit\('[^'\n]*', \(\) => \{\n  expect\(sum\(
    \d+, \d+\)\)\.toBe\(\d+\)\n\}\)\n$
    such as src/sum.test.ts, src/cart/total.test.ts

To look at
  serious  self approval
           critical-engineer (key 3f9c2a) tried 2 times to approve what it, its
           agent or its session had asked for
           See event 4711, event 4650
  warning  fast approval
           critical-engineer decided 27 of 29 approvals (93 %) faster than a
           person can read, the fastest in 0.8 s
           See chg_09, chg_08 and 25 more
  info     one approver
           All 9 approvals of the agent claude came from testguard (key 77ab01)
           See chg_10
`,
    )
  })

  it('says that nothing happened if nothing did', () => {
    expect(printReport(nothing, plain)).toBe(
      [
        'Approvals, 2026-10-18 to 2026-11-17 (30 days, UTC)',
        '  0 blocked · 0 approved · 0 rejected · 0 used · 0 expired · 0 waiting',
        '',
        'To look at',
        '  nothing',
        '',
      ].join('\n'),
    )
  })

  it('combines several days into a mark if a year does not fit', () => {
    const year = { ...sampleReport, since: '2025-11-17T06:00:00.000Z' }
    const [, title, marks = ''] = /(Blocked per .*)\n {2}(.*)\n/.exec(printReport(year, plain)) ?? []
    expect(title).toBe('Blocked per 5 days, 43 at most')
    expect(marks).toHaveLength(74)
    expect(marks).toMatch(/^·{67}[▁▂▃▄▅▆▇█]/)
  })

  it('draws the smallest value above 0 as the lowest mark, and the largest as the highest', () => {
    const [first, second, third] = ['2026-10-18', '2026-10-19', '2026-10-20']
    const counts = { [String(first)]: 1, [String(second)]: 500, [String(third)]: 1000 }
    const days = Object.entries(counts).map(([day, blocked]) => ({
      day,
      blocked,
      approved: 0,
      rejected: 0,
      specialists: [],
    }))
    expect(printReport({ ...sampleReport, days }, plain)).toContain('\n  ▁▄█·')
  })

  it('draws part of a bar for every value above 0', () => {
    const lone = { specialist: 'x', approved: 1, rejected: 1, medianSeconds: 1, p90Seconds: 1 }
    const specialists = [{ ...lone, approved: 90_000, rejected: 1 }, lone]
    const text = printReport({ ...sampleReport, specialists }, plain)
    expect(text).toMatch(/█{30,}░ {2,}90000 \/ 1 {2}1 s\n/)
    expect(text).toMatch(/ {2}x {2}█░ {20,}1 \/ 1 {2}1 s\n/)
  })

  it('counts the omitted entries', () => {
    const reasons = Array.from({ length: 11 }, (_, index) => ({
      reason: `r${index}`,
      count: 1,
      changeIds: [],
    }))
    expect(printReport({ ...nothing, rejectionReasons: reasons }, plain)).toContain('1  r7\n  … and 3 more\n')
  })

  it('never exceeds the width of the terminal, and cannot control the terminal', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    const number = fc.integer({ min: 0, max: 1_000_000 })
    const holds = (given: string, count: number, width: number) => {
      const printed = printReport(filledWith(given, count), { width, hasColor: false })
      expect(printed).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
      for (const line of printed.split('\n')) expect([...line].length).toBeLessThanOrEqual(width)
    }
    fc.assert(fc.property(text, number, fc.integer({ min: 60, max: 100 }), holds))
    holds('\u001b[2J\r\n\u202e\tx', 1, 80)
  })

  it('is coloured only on request', () => {
    expect(printReport(sampleReport, plain)).not.toContain('\u001B')
    const coloured = printReport(sampleReport, { ...plain, hasColor: true })
    expect(coloured).toContain('\u001B[31mserious\u001B[39m')
    expect(coloured).toContain('\u001B[1mTo look at\u001B[22m')
    const withoutColour = stripVTControlCharacters(coloured)
    expect(withoutColour).toBe(printReport(sampleReport, plain))
  })
})

/** Text from a registry is untrusted. */
function filledWith(text: string, count: number): ApprovalReport {
  const [pattern] = sampleReport.patterns
  const [suggestion] = sampleReport.suggestions
  return {
    ...sampleReport,
    totals: { blocked: count, approved: count, rejected: count, used: count, open: count, expired: count },
    specialists: [
      { specialist: text, approved: count, rejected: count, medianSeconds: count, p90Seconds: 1 },
    ],
    blockedByRule: [{ rule: text, count, agents: [text] }],
    rejectionReasons: [{ reason: text, count, changeIds: [text] }],
    patterns: pattern ? [{ ...pattern, type: text, pattern: text, uses: count, overturned: count }] : [],
    suggestions: suggestion ? [{ ...suggestion, pattern: text }] : [],
    flags: sampleReport.flags.map((flag) => ({
      ...flag,
      sentence: `They ${text} did`,
      evidence: [{ changeId: text, at: sampleReport.until }],
    })),
  }
}

describe('the flags for a person', () => {
  it('are the ones at the end of the report, or a line that there are none', () => {
    const { since, until, flags } = sampleReport
    const printed = printFlags({ since, until, flags }, plain)
    expect(printed).toMatch(/^To look at\n {2}serious {2}self approval\n/)
    expect(printReport(sampleReport, plain).endsWith(printed)).toBe(true)
    expect(printFlags({ since, until, flags: [] }, plain)).toBe(
      'Nothing to look at, 2026-10-18 to 2026-11-17\n',
    )
  })
})

it('suggestions are printed as the same lines, or a line that there are none', () => {
  const printed = printSuggestionList(sampleReport, plain)
  expect(printed).toMatch(/^Suggested patterns: .*\n {2}test: 7 approved, none rejected\n/)
  expect(printReport(sampleReport, plain)).toContain(printed)
  expect(printSuggestionList({ suggestions: [] }, plain)).toBe('No pattern to suggest\n')
})

it('report, flags and suggestions are printed as text, and other outputs as tables', async () => {
  const files = createCommandFiles(new URL('../../../bundle/commands/', import.meta.url))
  const print = createPrint(files)
  const printed = async (name: string) => {
    await files.load(name)
    return print(name, { ...sampleReport }, plain)
  }
  expect(await printed('audit_report')).toBe(printReport(sampleReport, plain))
  expect(await printed('audit_flags')).toBe(printFlags(sampleReport, plain))
  expect(await printed('pattern_suggest')).toBe(printSuggestionList(sampleReport, plain))
  expect(await printed('audit_search')).toBeUndefined()
})

it.each([
  [0, 'under 1 s'],
  [0.99, 'under 1 s'],
  [1, '1 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [134, '2 min 14 s'],
  [3599.6, '1 h'],
  [3660, '1 h 1 min'],
  [7199, '2 h'],
  [86_399, '1 d'],
  [93_600, '1 d 2 h'],
  [365 * 86_400, '365 d'],
])('%d seconds are %s', (seconds, printed) => {
  expect(printDuration(seconds)).toBe(printed)
})
