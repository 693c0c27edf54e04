import type { HookEvent, JsonObject } from '../../event.ts'
import type { Outcome, Reply } from '../../outcome.ts'
import { printReason, replyBlock, replyJson, replyPass, settle } from '../../events/replies.ts'

/** The JSON answer that Claude Code documents and Codex shares. Undefined: pml does not interfere. */
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

/** For command hooks that read JSON at session start and refuse by exit code. */
export function replyWithContext(event: HookEvent, wanted: Outcome): Reply {
  const outcome = settle(event, wanted)
  if (outcome.kind !== 'pass') return replyBlock(outcome.text)
  const context = claudeContext(event, outcome.context)
  return context === undefined ? replyPass(outcome.context) : replyJson(context)
}

/** Gemini uses the same form. */
export function claudeContext(
  { moment }: HookEvent,
  additionalContext: string | undefined,
): JsonObject | undefined {
  if (additionalContext === undefined || moment !== 'session-start') return undefined
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } }
}
