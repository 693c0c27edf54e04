import { z } from 'zod'

const text = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\0]*$/, 'expected text without NUL characters')

const MOST_EVENTS = 100

const hookAgent = z.enum(['claude', 'codex', 'copilot', 'cursor', 'gemini', 'windsurf'])

const enforcementEvent = z.strictObject({
  id: z.uuid().toLowerCase().describe('The same event is kept once, however often it arrives'),
  at: z.iso
    .datetime({ offset: true, error: 'expected a time such as 2026-01-31T12:00:00Z' })
    .describe('When it was decided, by the clock of the machine that decided'),
  action: z.enum(['blocked', 'allowed', 'corrected', 'refused', 'unreachable']),
  agent: hookAgent,
  session: text(200).nullable(),
  rule: text(200).min(1).describe('The id of the rule'),
  tool: text(200).describe("The agent's own name for it"),
  subject: text(500).describe('The file, command or server that it was about'),
  reason: text(2000),
})

export const enforcementEvents = z.strictObject({
  events: z.array(enforcementEvent).min(1).max(MOST_EVENTS),
})

export const eventsKept = z.object({
  accepted: z.int().describe('That are in the audit log now'),
  known: z.int().describe('That were in it before'),
})
export type EventsKept = z.infer<typeof eventsKept>
