import type { HookEvent, JsonObject } from '../../event.ts'
import type { Outcome, Reply } from '../../outcome.ts'
import { printReason, replyBlock, replyJson, replyPass, settle } from '../../events/replies.ts'

/** The answer in JSON that Claude Code documents, and that Codex took over; undefined: stay out. */
export function claudeAnswer(event: HookEvent, wanted: Outcome): JsonObject | undefined {
  const outcome = settle(event, wanted)
  if (outcome.kind === 'pass') return claudeContext(event, outcome.context)
  const reason = printReason(outcome.text).trimEnd()
  if (event.moment !== 'before-tool') return { decision: 'block', reason }
  if (event.eventName === 'PermissionRequest') {
    const decision = { behavior: 'deny', message: reason }
    return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }
  }
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: outcome.kind === 'block' ? 'deny' : 'ask',
      permissionDecisionReason: reason,
    },
  }
}

/** For a command hook that knows JSON at the start of a session, and refuses by how it ends. */
export function replyWithContext(event: HookEvent, wanted: Outcome): Reply {
  const outcome = settle(event, wanted)
  if (outcome.kind !== 'pass') return replyBlock(outcome.text)
  const context = claudeContext(event, outcome.context)
  return context === undefined ? replyPass(outcome.context) : replyJson(context)
}

/** Gemini knows the same form. */
export function claudeContext(
  { moment }: HookEvent,
  additionalContext: string | undefined,
): JsonObject | undefined {
  if (additionalContext === undefined || moment !== 'session-start') return undefined
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } }
}
