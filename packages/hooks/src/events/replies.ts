import type { HookEvent, JsonObject } from '../event.ts'
import type { Outcome, Reply } from '../outcome.ts'

/** For agents whose command hooks know nothing but how they end. */
export function replyByExit(event: HookEvent, wanted: Outcome): Reply {
  const outcome = settle(event, wanted)
  return outcome.kind === 'pass' ? replyPass(outcome.context) : replyBlock(outcome.text)
}

/** The form of Gemini over HTTP, for agents that have no HTTP hooks of their own. */
export function denyBody(event: HookEvent, wanted: Outcome): string {
  const outcome = settle(event, wanted)
  if (outcome.kind === 'pass') return ''
  return JSON.stringify({ decision: 'deny', reason: printReason(outcome.text).trimEnd() })
}

/**
 * Exit 2 and the reason on stderr, which block in every agent. `own` is the same refusal in the agent's own form, for agents whose model
 * would not read stderr, or not alone.
 */
export function replyBlock(text: string, own?: JsonObject): Reply {
  return { exitCode: 2, stdout: printBody(own), stderr: printReason(text) }
}

export function replyJson(value: JsonObject): Reply {
  return { exitCode: 0, stdout: JSON.stringify(value), stderr: '' }
}

/** The body of an answer over http; undefined: stay out. */
export function printBody(answer: JsonObject | undefined): string {
  return answer === undefined ? '' : JSON.stringify(answer)
}

/** Stay out of it; what there is to say and no documented form for goes where people look for logs. */
export function replyPass(context: string | undefined): Reply {
  return { exitCode: 0, stdout: '', stderr: context === undefined ? '' : endLine(context) }
}

/** An answer that the agent does not know, or would give by itself, is no: only `mayAsk` makes it a question. */
export function settle(event: HookEvent, outcome: Outcome): Outcome {
  return outcome.kind === 'ask' && !event.mayAsk ? { kind: 'block', text: outcome.text } : outcome
}

/** Codex lets a call through that is blocked without a word. */
export function printReason(text: string): string {
  return endLine(text.trim() === '' ? 'BLOCKED::NO_REASON pml refused this without a reason' : text)
}

function endLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
