import type { HookEvent, JsonObject } from '../../event.ts'
import type { Outcome, Reply } from '../../outcome.ts'
import type { Adapter } from '../../events/adapter.ts'
import { claudeAnswer } from './answers.ts'
import { readClaudeCall } from './calls.ts'
import { type Fields, name, optionalText, wholePath } from '../../events/fields.ts'
import { momentOf } from '../../events/moment-of.ts'
import { printBody, printReason, replyBlock, replyJson, replyPass, settle } from '../../events/replies.ts'

/** In other modes the agent answers "ask" without a person. */
const askingModes = new Set(['default', 'plan', 'acceptEdits'])

const moments: ReadonlyMap<string, HookEvent['moment']> = new Map([
  ['PreToolUse', 'before-tool'],
  ['PermissionRequest', 'before-tool'],
  ['PostToolUse', 'after-tool'],
  ['PostToolUseFailure', 'after-tool'],
  ['SessionStart', 'session-start'],
  ['ConfigChange', 'config-change'],
])

/** Claude Code: https://code.claude.com/docs/en/hooks */
export const events: Adapter = { agent: 'claude', parse, reply, replyBody }

function parse(values: JsonObject): HookEvent {
  const event: Fields = { agent: 'claude', at: '', values }
  const eventName = name(event, 'hook_event_name')
  const moment = momentOf(event, moments, eventName)
  return {
    agent: 'claude',
    moment,
    session: optionalText(event, 'session_id'),
    callId: optionalText(event, 'tool_use_id'),
    overTool: moment === 'after-tool' ? optionalText(event, 'tool_name') : undefined,
    cwd: wholePath(event, 'cwd'),
    call: moment === 'before-tool' ? readClaudeCall(event) : undefined,
    changedFile: moment === 'config-change' ? optionalText(event, 'file_path') : undefined,
    mayAsk: eventName === 'PreToolUse' && askingModes.has(optionalText(event, 'permission_mode') ?? ''),
    eventName,
  }
}

function reply(event: HookEvent, wanted: Outcome): Reply {
  const outcome = settle(event, wanted)
  const answer = event.moment === 'after-tool' ? afterwards(event, outcome) : claudeAnswer(event, outcome)
  // Before a tool the model reads stderr after the hook's whole command line, but from JSON only the reason. No other member
  // may be beside `hookSpecificOutput`: then it reads stderr again.
  // be beside `hookSpecificOutput`: then it reads stderr again.
  if (outcome.kind === 'block' && event.eventName === 'PreToolUse') return replyBlock(outcome.text, answer)
  // Both ignore exit 2, or show the model the hook's command line.
  const isHeardInJsonOnly = event.eventName === 'PermissionRequest' || event.moment === 'after-tool'
  if (outcome.kind === 'block' && !isHeardInJsonOnly) return replyBlock(outcome.text)
  if (answer !== undefined) return replyJson(answer)
  return replyPass(outcome.kind === 'pass' ? outcome.context : undefined)
}

/** As context the model reads only the reason; as a "block" it reads the hook's command line first. */
function afterwards({ eventName }: HookEvent, outcome: Outcome): JsonObject | undefined {
  if (outcome.kind === 'pass') return undefined
  const additionalContext = printReason(outcome.text).trimEnd()
  return { hookSpecificOutput: { hookEventName: eventName, additionalContext } }
}

function replyBody(event: HookEvent, outcome: Outcome): string {
  return printBody(claudeAnswer(event, outcome))
}
