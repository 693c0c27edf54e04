import { z } from 'zod'
import { LONGEST_EXPIRY_SECONDS, proofKinds } from '../approval-config.ts'
import { wholeNumber } from './whole-number.ts'

const noNul = /^[^\0]*$/
const line = (most: number) =>
  z.string().min(1).max(most).regex(noNul, 'expected text without NUL characters')
const encoder = new TextEncoder()
const sha256 = /^(?:sha256[-:])?[0-9a-f]{64}$/i

/** The largest text that a database index accepts. */
const MOST_BYTES = 2000
const short = (most: number) =>
  line(most).refine(
    (text) => encoder.encode(text).length <= MOST_BYTES,
    `expected at most ${MOST_BYTES} bytes`,
  )

export const changePath = short(2000).describe('The file that the change is for')
/** Shares an index with the path. */
const MOST_PROJECT_BYTES = 400
export const changeProject = z
  .string()
  .regex(noNul, 'expected text without NUL characters')
  .refine(
    (text) => encoder.encode(text).length <= MOST_PROJECT_BYTES,
    `expected at most ${MOST_PROJECT_BYTES} bytes`,
  )
  .describe('The project that the change is raised in; left out, the one without a name')
export const changeContent = z.string().describe('All that would be written')
export const contentHash = z
  .string()
  .regex(sha256, 'expected sha256-<64 hex digits>')
  .transform((text) => `sha256-${text.slice(-64).toLowerCase()}`)
  .describe('sha256-<hex> of the content, byte for byte')
const changeReason = line(4000).describe('Why, for the audit log')
const agent = line(200).describe('Which agent wants it')
const session = line(200).describe('In which session')
const specialistName = line(64).describe('Must be the specialist of the key')
const token = line(400).describe('The token of the approval')
export const changeType = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'expected lower-case letters, digits, - and _')
export const patternKind = z.enum(['approve', 'block'])
export const patternText = short(2000).describe(
  'A regular expression of RE2: no lookahead, no back-references',
)

export const newChange = z.strictObject({
  tool: line(200).describe('The tool that would write it'),
  path: changePath,
  project: changeProject.optional(),
  content: changeContent,
  agent: agent.optional(),
  session: session.optional(),
})
export type NewChange = z.infer<typeof newChange>

/** The key identifies the decider; the request must not contradict it. */
const decider = {
  approver: specialistName.optional(),
  proof: z.enum(proofKinds).optional().describe('How it is known that a person decides; pml itself says it'),
  agent: agent.optional(),
  session: session.optional(),
}
export const approval = z.strictObject({
  reason: changeReason,
  pattern: patternText
    .optional()
    .describe('Approve what it covers from now on, too; needs the scope pattern'),
  ttlSeconds: z.int().min(1).max(LONGEST_EXPIRY_SECONDS).optional().describe('How long it is good for'),
  ...decider,
})
export type NewApproval = z.infer<typeof approval>

export const rejection = z.strictObject({
  reason: changeReason,
  education: line(20_000).describe('What the agent should learn from it'),
  suggestion: line(20_000).optional().describe('What to do instead'),
  ...decider,
})
export type NewRejection = z.infer<typeof rejection>

export const contentToCheck = z.strictObject({
  content: changeContent,
  path: changePath.optional(),
  project: changeProject.optional(),
})
export const checkQuery = z.strictObject({
  hash: contentHash,
  path: changePath.optional(),
  project: changeProject.optional(),
})
export const spending = z.strictObject({
  content: changeContent,
  path: changePath,
  project: changeProject.optional(),
  token: token.optional(),
  agent: agent.optional(),
  session: session.optional(),
})
export type Spending = z.infer<typeof spending>

export const LONGEST_EXAMPLE = 20_000

export const newPattern = z.strictObject({
  kind: patternKind,
  type: changeType.describe('The kind of change it is for, as in config/approvals.json, or any'),
  pattern: patternText,
  reason: changeReason,
  example: z.string().min(1).max(LONGEST_EXAMPLE).describe('Content that it matches'),
  approver: specialistName.optional(),
})
export type NewPattern = z.infer<typeof newPattern>

const changeStatus = z.enum(['blocked', 'approved', 'rejected', 'used', 'expired'])
export type ShownStatus = z.infer<typeof changeStatus>
const instant = z.iso.datetime()

export const blockedChange = z.object({
  id: z.string(),
  contentHash: z.string(),
  status: changeStatus,
  path: z.string(),
  type: z.string(),
  specialists: z.array(z.string()).describe('Who may decide; * is every specialist'),
})
export type BlockedChange = z.infer<typeof blockedChange>

const changeSummary = z.object({
  id: z.string(),
  status: changeStatus,
  tool: z.string(),
  path: z.string(),
  project: z.string().describe('Empty if not given'),
  type: z.string(),
  contentHash: z.string(),
  sizeBytes: z.int(),
  agents: z.array(z.string()),
  blockedAt: instant,
  decidedAt: instant.nullable(),
  specialist: z.string().nullable(),
  reason: z.string().nullable(),
  expires: instant.nullable(),
  usedAt: instant.nullable(),
})
export type ChangeSummary = z.infer<typeof changeSummary>

export const changeList = z.object({ changes: z.array(changeSummary), nextCursor: z.string().optional() })
export type ChangeList = z.infer<typeof changeList>

export const shownChange = changeSummary.extend({
  content: z.string().describe('What cannot be seen is written as \\u{…}'),
  warnings: z.array(z.string()),
  education: z.string().nullable(),
  suggestion: z.string().nullable(),
  specialists: z.array(z.string()).describe('Who may decide; * is every specialist'),
  requests: z.array(
    z.object({ key: z.string(), agent: z.string().nullable(), session: z.string().nullable(), at: instant }),
  ),
  earlier: z
    .array(z.object({ id: z.string(), status: changeStatus, reason: z.string().nullable(), at: instant }))
    .describe('What became of the same content before'),
})
export type ShownChange = z.infer<typeof shownChange>

export const approved = z.object({
  id: z.string(),
  token: z.string().describe('Shown only here'),
  expires: instant,
  instruction: z.string(),
  pattern: z.string().optional().describe('The id of the pattern that was added'),
})
export type Approved = z.infer<typeof approved>

export const rejected = z.object({
  id: z.string(),
  decision: z.literal('rejected'),
  education: z.string(),
  suggestion: z.string().nullable(),
})
export type Rejected = z.infer<typeof rejected>

export const checked = z.object({
  approved: z.boolean(),
  via: z.enum(['token', 'pattern']).nullable(),
  contentHash: z.string(),
  status: changeStatus
    .nullable()
    .describe('Of the newest change with this content; null where there is none'),
  changeId: z.string().nullable(),
  path: z.string().nullable(),
  specialist: z.string().nullable(),
  expires: instant.nullable(),
  pattern: z.string().nullable().describe('The pattern that approves or blocks it'),
  message: z.string(),
})
export type Checked = z.infer<typeof checked>

export const spent = z.object({
  approved: z.literal(true),
  via: z.enum(['token', 'pattern']),
  changeId: z.string().nullable(),
  pattern: z.string().nullable(),
  specialist: z.string().nullable(),
})
export type Spent = z.infer<typeof spent>

const shownPattern = z.object({
  id: z.string(),
  kind: patternKind,
  type: z.string(),
  pattern: z.string(),
  reason: z.string(),
  example: z.string(),
  specialist: z.string().nullable(),
  addedBy: z.string(),
  addedAt: instant,
  usageCount: z.int(),
  lastUsedAt: instant.nullable(),
  overturned: z.int(),
})
export type ShownPattern = z.infer<typeof shownPattern>
export const patternList = z.object({ patterns: z.array(shownPattern) })

export const patternAdded = shownPattern.extend({
  warnings: z.array(z.string()).describe('What it lets through that its author may not mean'),
})
export type PatternAdded = z.infer<typeof patternAdded>

export const waitQuery = z.strictObject({
  wait: wholeNumber(0, 60).default(0).describe('How many seconds to wait for a decision'),
})
export const eventsQuery = z.strictObject({
  after: wholeNumber(0, 9_999_999_999).optional().describe('The id of the last event that you have'),
})

export const changeQuery = z.strictObject({
  status: changeStatus.optional().describe('Only changes in this state'),
  type: changeType.optional().describe('The kind of change, as in config/approvals.json'),
  path: changePath.optional(),
  project: changeProject.optional().describe('The project that the change was raised in'),
  agent: agent.optional(),
  q: line(200).optional().describe('Words in path, reason or tool'),
  limit: wholeNumber(1, 100).default(50).describe('Changes per page'),
  cursor: z.string().max(200).optional().describe('nextCursor of an earlier response'),
})
export type ChangeQuery = z.infer<typeof changeQuery>
