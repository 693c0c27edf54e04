import type { HookEvent, JsonObject, ToolCall } from '../../event.ts'
import type { Outcome } from '../../outcome.ts'
import type { Adapter } from '../../events/adapter.ts'
import { callByShape } from '../../events/call-by-shape.ts'
import { claudeAnswer, replyWithContext } from '../claude/answers.ts'
import { findMcpCall } from '../claude/calls.ts'
import { dialectIn, readShell } from '../../events/command-line.ts'
import { type Fields, name, object, fieldValue } from '../../events/fields.ts'
import { parseEvent } from '../../events/parse-event.ts'
import { printBody } from '../../events/replies.ts'

const moments: ReadonlyMap<string, HookEvent['moment']> = new Map([
  ['PreToolUse', 'before-tool'],
  ['PermissionRequest', 'before-tool'],
  ['PostToolUse', 'after-tool'],
  ['SessionStart', 'session-start'],
])

/** Codex: the events of Claude Code with other tools and without the answer "ask". */
export const events: Adapter = { agent: 'codex', parse, reply: replyWithContext, replyBody }

function parse(values: JsonObject): HookEvent {
  return parseEvent(values, { agent: 'codex', moments, readCall })
}

function readCall(event: Fields, cwd: string): ToolCall {
  const tool = name(event, 'tool_name')
  const input = object(event, 'tool_input')
  if (tool === 'Bash') return readShell({ tool, dialect: dialectIn(cwd) }, input)
  if (tool === 'apply_patch') return readPatch(tool, input)
  return findMcpCall(tool, input) ?? callByShape(tool, input)
}

/** The patch is in `command`; other versions use other names. The patch parser rejects anything else. */
function readPatch(tool: string, input: Fields): ToolCall {
  const call = callByShape(tool, input)
  if (call.kind === 'patch') return { ...call, writer: 'codex' }
  const field = ['command', 'input', 'patch'].find((field) => fieldValue(input, field) !== undefined)
  return { kind: 'patch', tool, patch: name(input, field ?? 'command'), writer: 'codex' }
}

function replyBody(event: HookEvent, outcome: Outcome): string {
  return printBody(claudeAnswer(event, outcome))
}
