import { z } from 'zod'
import { wholeNumber } from './whole-number.ts'

export const LONGEST_REPORT_DAYS = 365
export const USUAL_REPORT_DAYS = 30

export const reportQuery = z.strictObject({
  days: wholeNumber(1, LONGEST_REPORT_DAYS).default(USUAL_REPORT_DAYS).describe('How many days to look back'),
})
export const nothingAsked = z.strictObject({})

const instant = z.iso.datetime()
const seconds = z.number().describe('Seconds from the block to the decision')
const decisions = { approved: z.int(), rejected: z.int() }

const severity = z.enum(['info', 'warning', 'serious'])
export type Severity = z.infer<typeof severity>

const flagName = z.enum([
  'many_rejections',
  'fast_approval',
  'one_approver',
  'pattern_abuse',
  'self_approval',
  'wrong_name',
  'guessing',
  'invisible_characters',
])

const flag = z.object({
  flag: flagName,
  severity,
  whoKind: z.enum(['agent', 'session', 'key', 'specialist']),
  who: z.string(),
  sentence: z.string().describe('What happened, with the numbers, for a person'),
  count: z.int().describe('How often it happened'),
  evidence: z
    .array(
      z.object({
        changeId: z.string().optional(),
        patternId: z.string().optional(),
        eventId: z.int().optional().describe('Of the audit log'),
        at: instant,
      }),
    )
    .describe('Newest first; the newest few where there are many'),
})
export type Flag = z.infer<typeof flag>
export const flagList = z.object({ since: instant, until: instant, flags: z.array(flag) })
export type FlagList = z.infer<typeof flagList>

const suggestion = z.object({
  type: z.string(),
  approvals: z.int().describe('Different contents of one shape that were approved'),
  pattern: z.string(),
  examples: z
    .array(
      z.object({
        changeId: z.string(),
        path: z.string(),
        contentHash: z.string(),
        reason: z.string().nullable(),
        specialist: z.string().nullable(),
      }),
    )
    .describe('The newest'),
  sentence: z.string(),
})
export type Suggestion = z.infer<typeof suggestion>
export const suggestionList = z.object({ suggestions: z.array(suggestion) })
export type SuggestionList = z.infer<typeof suggestionList>

const reportedPattern = z.object({
  id: z.string(),
  kind: z.enum(['approve', 'block']),
  type: z.string(),
  pattern: z.string(),
  uses: z.int(),
  overturned: z.int().describe('How often a specialist decided the other way'),
  lastUsedAt: instant.nullable(),
  effectiveness: z.number().nullable().describe('1 - overturned / uses; null for one that was never used'),
})

export const approvalReport = z.object({
  since: instant,
  until: instant,
  totals: z.object({
    blocked: z.int(),
    ...decisions,
    used: z.int(),
    open: z.int().describe('That wait for a decision now, however old they are'),
    expired: z.int().describe('Approvals that nobody used in time'),
  }),
  days: z
    .array(
      z.object({
        day: z.iso.date().describe('UTC'),
        blocked: z.int(),
        ...decisions,
        specialists: z.array(z.object({ specialist: z.string(), ...decisions })),
      }),
    )
    .describe('Days on which something happened; the first one may be cut by the time of day'),
  specialists: z.array(
    z.object({
      specialist: z.string(),
      ...decisions,
      medianSeconds: seconds.nullable(),
      p90Seconds: seconds.nullable(),
    }),
  ),
  timeToDecision: z.object({
    count: z.int().describe('Without those that were imported'),
    medianSeconds: seconds.nullable(),
    p90Seconds: seconds.nullable(),
    fastestSeconds: seconds.nullable(),
    slowestSeconds: seconds.nullable(),
  }),
  blockedByRule: z
    .array(z.object({ rule: z.string(), count: z.int(), agents: z.array(z.string()) }))
    .describe('What hooks held back, by the rule that they did it for'),
  rejectionReasons: z
    .array(z.object({ reason: z.string(), count: z.int(), changeIds: z.array(z.string()) }))
    .describe('The most frequent; letter case and space around do not count'),
  patterns: z
    .array(reportedPattern)
    .describe('Those in force that were used most, with what happened since they were added'),
  disabledPatterns: z
    .array(
      z.object({
        id: z.string(),
        type: z.string(),
        pattern: z.string(),
        reason: z.string().describe('Which rule it breaks'),
        disabledAt: instant,
      }),
    )
    .describe('Approve patterns that the server disabled, because they break a rule newer than they are'),
  suggestions: z.array(suggestion),
  flags: z.array(flag),
})
export type ApprovalReport = z.infer<typeof approvalReport>
