import type { ApprovalReport } from '@pml/core/schemas'

const specialist = (name: string, approved: number, rejected: number, medianSeconds: number) => ({
  specialist: name,
  approved,
  rejected,
  medianSeconds,
  p90Seconds: medianSeconds * 4,
})
const day = (date: string, blocked: number) => ({
  day: date,
  blocked,
  approved: 0,
  rejected: 0,
  specialists: [],
})

/** A month of a team with three reviewers, one of whom approves without reading. */
export const sampleReport: ApprovalReport = {
  since: '2026-10-18T06:00:00.000Z',
  until: '2026-11-17T06:00:00.000Z',
  totals: { blocked: 121, approved: 84, rejected: 22, used: 71, open: 15, expired: 9 },
  days: [
    day('2026-10-19', 4),
    day('2026-10-20', 7),
    day('2026-10-21', 2),
    day('2026-10-22', 9),
    day('2026-10-26', 12),
    day('2026-10-27', 31),
    day('2026-10-28', 18),
    day('2026-11-03', 1),
    day('2026-11-04', 16),
    day('2026-11-16', 13),
    day('2026-11-17', 8),
  ],
  specialists: [
    specialist('testguard', 52, 18, 134),
    specialist('critical-engineer', 29, 3, 11),
    specialist('security', 3, 1, 5400),
  ],
  timeToDecision: {
    count: 106,
    medianSeconds: 128.4,
    p90Seconds: 846,
    fastestSeconds: 0.8,
    slowestSeconds: 93_600,
  },
  blockedByRule: [
    { rule: 'EXECUTABLE_IN_WORKSPACE', count: 31, agents: ['claude', 'codex'] },
    { rule: 'TEST_METHODOLOGY', count: 4, agents: ['claude'] },
  ],
  rejectionReasons: [
    { reason: 'Meaningless placeholder: it provides no specification', count: 12, changeIds: ['chg_01'] },
    { reason: 'No assertion\nat all', count: 5, changeIds: ['chg_02'] },
    {
      reason:
        'Catches every error and says nothing, so that the caller cannot tell a missing file from a full disk',
      count: 1,
      changeIds: ['chg_03'],
    },
  ],
  patterns: [
    {
      id: 'pat_01',
      kind: 'approve',
      type: 'test',
      pattern: String.raw`^expect\(\w+\(\)\)\.rejects\.toThrow\('[^']*'\)\n$`,
      uses: 140,
      overturned: 2,
      lastUsedAt: '2026-11-16T12:00:00.000Z',
      effectiveness: 0.9857,
    },
    {
      id: 'pat_02',
      kind: 'block',
      type: 'test',
      pattern: String.raw`expect\(true\)\.toBe\(false\)`,
      uses: 0,
      overturned: 0,
      lastUsedAt: null,
      effectiveness: null,
    },
  ],
  disabledPatterns: [
    {
      id: 'pat_0f',
      type: 'test',
      pattern: '^import "[^;]+;$',
      reason: 'it can match a line end, and an approve pattern must stay within a line',
      disabledAt: '2026-11-16T09:30:00.000Z',
    },
  ],
  suggestions: [
    {
      type: 'test',
      approvals: 7,
      pattern: String.raw`^import \{ it \} from 'vitest'\n\nit\('[^'\n]*', \(\) => \{\n  expect\(sum\(\d+, \d+\)\)\.toBe\(\d+\)\n\}\)\n$`,
      examples: [
        {
          changeId: 'chg_04',
          path: 'src/sum.test.ts',
          contentHash: 'sha256-00',
          reason: 'Exact',
          specialist: 'testguard',
        },
        {
          changeId: 'chg_05',
          path: 'src/cart/total.test.ts',
          contentHash: 'sha256-01',
          reason: null,
          specialist: null,
        },
      ],
      sentence: '7 contents of type test',
    },
  ],
  flags: [
    {
      flag: 'self_approval',
      severity: 'serious',
      whoKind: 'key',
      who: '3f9c2a',
      sentence:
        'critical-engineer (key 3f9c2a) tried 2 times to approve what it, its agent or its session had asked for',
      count: 2,
      evidence: [
        { eventId: 4711, at: '2026-11-16T12:00:00.000Z' },
        { eventId: 4650, at: '2026-11-15T12:00:00.000Z' },
      ],
    },
    {
      flag: 'fast_approval',
      severity: 'warning',
      whoKind: 'specialist',
      who: 'critical-engineer',
      sentence:
        'critical-engineer decided 27 of 29 approvals (93 %) faster than a person can read, the fastest in 0.8 s',
      count: 27,
      evidence: ['chg_09', 'chg_08', 'chg_07', 'chg_06'].map((changeId) => ({
        changeId,
        at: '2026-11-16T12:00:00.000Z',
      })),
    },
    {
      flag: 'one_approver',
      severity: 'info',
      whoKind: 'agent',
      who: 'claude',
      sentence: 'All 9 approvals of the agent claude came from testguard (key 77ab01)',
      count: 1,
      evidence: [{ changeId: 'chg_10', at: '2026-11-16T12:00:00.000Z' }],
    },
  ],
}
