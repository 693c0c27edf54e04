import type { AgentName } from './event.ts'

/** What the registry's audit log is told about one decision of a hook. */
export interface EnforcementEvent {
  /** A UUID: the same event is kept once, however often it arrives. */
  readonly id: string
  /** When it was decided, RFC 3339 in UTC, by the clock of the machine that decided. */
  readonly at: string
  readonly action: 'blocked' | 'allowed' | 'corrected' | 'refused' | 'unreachable'
  readonly agent: AgentName
  readonly session: string | null
  /** The id of the rule, such as EXECUTABLE_IN_WORKSPACE. */
  readonly rule: string
  readonly tool: string
  /** The file, the command's first 200 characters or the server that it was about; never content. */
  readonly subject: string
  readonly reason: string
}
