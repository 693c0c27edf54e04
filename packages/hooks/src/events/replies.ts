import type { HookEvent, JsonObject } from '../event.ts'
import type { Outcome, Reply } from '../outcome.ts'

/** For agents whose command hooks answer by exit code only. */
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
 * Exit 2 with the reason on stderr, which blocks in every agent. `own` is the same refusal as JSON, for agents
 * whose model does not read stderr or reads more than that.
 */
export function replyBlock(text: string, own?: JsonObject): Reply {
  return { exitCode: 2, stdout: printBody(own), stderr: printReason(text) }
}

export function replyJson(value: JsonObject): Reply {
  return { exitCode: 0, stdout: JSON.stringify(value), stderr: '' }
}

/** The body of an HTTP response; undefined: pml does not interfere. */
export function printBody(answer: JsonObject | undefined): string {
  return answer === undefined ? '' : JSON.stringify(answer)
}

/** Does not interfere. Context without a documented form goes to stderr. */
export function replyPass(context: string | undefined): Reply {
  return { exitCode: 0, stdout: '', stderr: context === undefined ? '' : endLine(context) }
}

/** "ask" becomes a block unless a person would really be asked. */
export function settle(event: HookEvent, outcome: Outcome): Outcome {
  return outcome.kind === 'ask' && !event.mayAsk ? { kind: 'block', text: outcome.text } : outcome
}

/** Codex lets a call through if a block has no reason. */
export function printReason(text: string): string {
  return endLine(text.trim() === '' ? 'BLOCKED::NO_REASON pml refused this without a reason' : text)
}

function endLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
