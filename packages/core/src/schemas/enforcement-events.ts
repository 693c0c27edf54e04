import { z } from 'zod'
import { changeContent, changePath, changeProject } from './approvals.ts'

const text = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\0]*$/, 'expected text without NUL characters')

const MOST_EVENTS = 100

const event = {
  id: z.uuid().toLowerCase().describe('The same event is kept once, however often it arrives'),
  at: z.iso
    .datetime({ offset: true, error: 'expected a time such as 2026-01-31T12:00:00Z' })
    .describe('When it was decided, by the clock of the machine that decided'),
  action: z.enum(['blocked', 'allowed', 'corrected', 'refused', 'unreachable']),
  session: text(200).nullable(),
  rule: text(200).min(1).describe('The id of the rule'),
  tool: text(200).describe("The agent's own name for it"),
  subject: text(500).describe('The file, command or server that it was about'),
  reason: text(2000),
}

export const eventsKept = z.object({
  accepted: z.int().describe('That are in the audit log now'),
  known: z.int().describe('That were in it before'),
})
export type EventsKept = z.infer<typeof eventsKept>

const wantedApproval = z.strictObject({
  path: changePath,
  project: changeProject.optional(),
  content: changeContent,
  rule: text(200).min(1).describe('The id of the rule that wants it'),
  specialist: text(64).min(1).describe('Who should be asked, as the rule says'),
  reason: text(2000),
})

/** The requests of hooks of these agents. */
export function hookBodies(agents: readonly string[]) {
  const agent = z.enum(agents)
  const { id, at, action, ...rest } = event
  return {
    enforcementEvents: z.strictObject({
      events: z
        .array(z.strictObject({ id, at, action, agent, ...rest }))
        .min(1)
        .max(MOST_EVENTS),
    }),
    /** All approvals are spent, or none. */
    wantedApprovals: z.strictObject({
      agent,
      session: text(200).optional(),
      tool: text(200),
      wanted: z.array(wantedApproval).min(1).max(MOST_EVENTS),
    }),
  }
}

export type WantedApprovals = z.infer<ReturnType<typeof hookBodies>['wantedApprovals']>

export const soughtApproval = z.object({
  approved: z.boolean(),
  action: z.string().optional().describe('What the agent is to do where it is not approved'),
  notes: z.array(z.string()).optional().describe('What a reviewer taught, and where the change waits'),
})
