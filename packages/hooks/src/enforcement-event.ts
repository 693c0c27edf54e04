import { findSecretArguments } from '@pml/core/secret-literals'
import type { HookEvent } from './event.ts'
import type { Finding } from './finding.ts'

/** One decision of a hook, for the registry's audit log. */
export interface EnforcementEvent {
  /** A UUID: the same event is kept once, however often it arrives. */
  readonly id: string
  /** When it was decided, RFC 3339 in UTC, by the clock of the machine that decided. */
  readonly at: string
  readonly action: 'blocked' | 'allowed' | 'corrected' | 'refused' | 'unreachable'
  readonly agent: string
  readonly session: string | null
  /** The id of the rule, such as EXECUTABLE_IN_WORKSPACE. */
  readonly rule: string
  readonly tool: string
  /** The file, the command's first 200 characters or the server that it was about; never content. */
  readonly subject: string
  readonly reason: string
}

/** The agent and its tool that want to do something. */
export interface Asker {
  readonly agent: string
  readonly session: string | undefined
  readonly tool: string
}

interface Held {
  readonly action: EnforcementEvent['action']
  readonly finding: Finding
  readonly at: string
  /** Replaces the reason of the rule. */
  readonly reason?: string | undefined
}

const LONGEST_NAME = 200
const LONGEST_SUBJECT = 500
const LONGEST_REASON = 2000

/** What the agent says about itself, as the registry expects it. */
export function askerOf({ agent, session, tool }: Asker): Asker {
  const named = session === undefined ? undefined : cut(session, LONGEST_NAME)
  return { agent, session: named, tool: cut(tool, LONGEST_NAME) }
}

export function askerIn({ agent, session, call }: HookEvent): Asker {
  return askerOf({ agent, session, tool: call?.tool ?? '' })
}

/** An event without its id. */
export function enforcementOf(
  { agent, session, tool }: Asker,
  { action, finding, at, reason = finding.reason }: Held,
): Omit<EnforcementEvent, 'id'> {
  return {
    at,
    action,
    agent,
    session: session ?? null,
    rule: finding.rule,
    tool,
    subject: cut(withoutSecrets(finding.subject), LONGEST_SUBJECT),
    reason: cut(withoutSecrets(reason), LONGEST_REASON),
  }
}

/** Commands may contain keys, and others read the log. */
function withoutSecrets(text: string): string {
  const words = text.split(/(?<=\s)/)
  const hidden = new Set(
    findSecretArguments(words.map((word) => word.trim().replaceAll(/["']/g, ''))).map(({ index }) => index),
  )
  return words.map((word, index) => (hidden.has(index) ? '(hidden) ' : word)).join('')
}

/** Never cuts inside a character and drops what databases reject. */
function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed().replaceAll('\0', '\u{fffd}')
}
