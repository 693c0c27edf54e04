import type { HookEvent, JsonObject } from '../event.ts'
import type { Outcome, Reply } from '../outcome.ts'
import type { Adapter } from './adapter.ts'
import { claudeAnswer } from './claude-answers.ts'
import { readClaudeCall } from './claude-calls.ts'
import { type Fields, name, optionalText, wholePath } from './fields.ts'
import { momentOf } from './moment-of.ts'
import { printBody, replyBlock, replyJson, replyPass, settle } from './replies.ts'

/** In the others the question "ask" is answered without a person. */
const askingModes = new Set(['default', 'plan', 'acceptEdits'])

const moments: ReadonlyMap<string, HookEvent['moment']> = new Map([
  ['PreToolUse', 'before-tool'],
  ['PermissionRequest', 'before-tool'],
  ['SessionStart', 'session-start'],
  ['ConfigChange', 'config-change'],
])

/** Claude Code: https://code.claude.com/docs/en/hooks */
export const claude: Adapter = { agent: 'claude', parse, reply, replyBody }

function parse(values: JsonObject): HookEvent {
  const event: Fields = { agent: 'claude', at: '', values }
  const eventName = name(event, 'hook_event_name')
  const moment = momentOf(event, moments, eventName)
  return {
    agent: 'claude',
    moment,
    session: optionalText(event, 'session_id'),
    cwd: wholePath(event, 'cwd'),
    call: moment === 'before-tool' ? readClaudeCall(event) : undefined,
    changedFile: moment === 'config-change' ? optionalText(event, 'file_path') : undefined,
    mayAsk: eventName === 'PreToolUse' && askingModes.has(optionalText(event, 'permission_mode') ?? ''),
    eventName,
  }
}

function reply(event: HookEvent, wanted: Outcome): Reply {
  const outcome = settle(event, wanted)
  // The only event that can refuse and takes no notice of exit 2.
  const isHeardInJsonOnly = event.eventName === 'PermissionRequest'
  if (outcome.kind === 'block' && !isHeardInJsonOnly) return replyBlock(outcome.text)
  const answer = claudeAnswer(event, outcome)
  if (answer !== undefined) return replyJson(answer)
  return replyPass(outcome.kind === 'pass' ? outcome.context : undefined)
}

function replyBody(event: HookEvent, outcome: Outcome): string {
  return printBody(claudeAnswer(event, outcome))
}
