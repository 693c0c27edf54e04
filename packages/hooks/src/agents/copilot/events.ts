import type { HookEvent, JsonObject, ToolCall } from '../../event.ts'
import type { Outcome, Reply } from '../../outcome.ts'
import type { Adapter } from '../../events/adapter.ts'
import { callByShape, isPatch } from '../../events/call-by-shape.ts'
import { findMcpCall, readClaudeCall } from '../claude/calls.ts'
import { readShell } from '../../events/command-line.ts'
import {
  type Fields,
  name,
  objectOrJson,
  optionalText,
  text,
  unexpected,
  fieldValue,
  wholePath,
} from '../../events/fields.ts'
import { printBody, printReason, replyBlock, replyJson, replyPass, settle } from '../../events/replies.ts'

/**
 * GitHub Copilot (command line and cloud agent): https://docs.github.com/en/copilot/reference/hooks-reference.
 * A hook whose event is written `preToolUse` gets camelCase, one written `PreToolUse` gets what Claude Code sends.
 */
export const events: Adapter = { agent: 'copilot', parse, reply, replyBody }

function parse(values: JsonObject): HookEvent {
  const event: Fields = { agent: 'copilot', at: '', values }
  const eventName = findEventName(event)
  const moment = momentOf(eventName)
  return {
    agent: 'copilot',
    moment,
    session: optionalText(event, 'sessionId') ?? optionalText(event, 'session_id'),
    overTool:
      moment === 'after-tool'
        ? (optionalText(event, 'toolName') ?? optionalText(event, 'tool_name'))
        : undefined,
    cwd: wholePath(event, 'cwd'),
    call: moment === 'before-tool' ? readCall(event) : undefined,
    changedFile: undefined,
    mayAsk: false,
    eventName,
  }
}

/** Fields of events that are not about a call. */
const otherFields = ['prompt', 'reason', 'error', 'stopReason', 'transcriptPath']

/** camelCase events have no name; their fields identify them. */
function findEventName(event: Fields): string {
  const said = ['hook_event_name', 'hookEventName', 'hookName'].find((field) => has(event, field))
  if (said !== undefined) return name(event, said)
  if (has(event, 'toolName') || has(event, 'tool_name')) {
    const isOver = ['toolResult', 'tool_result', 'error'].some((field) => has(event, field))
    return isOver ? 'postToolUse' : 'preToolUse'
  }
  if (has(event, 'source')) return 'sessionStart'
  if (otherFields.some((field) => has(event, field))) return 'other'
  throw unexpected(event, 'toolName', { expected: 'a string', value: undefined })
}

function momentOf(eventName: string): HookEvent['moment'] {
  const known = eventName.toLowerCase()
  if (known === 'pretooluse' || known === 'permissionrequest') return 'before-tool'
  if (known === 'posttooluse' || known === 'posttoolusefailure') return 'after-tool'
  return known === 'sessionstart' ? 'session-start' : 'other'
}

/** Copilot's own file tools share one implementation, whatever their name. */
function readCall(event: Fields): ToolCall {
  const call = readToolCall(event)
  const isOfFile = call.kind === 'write' || call.kind === 'edit' || call.kind === 'patch'
  return isOfFile ? { ...call, writer: 'copilot' } : call
}

function readToolCall(event: Fields): ToolCall {
  if (!has(event, 'toolName')) return readNamedAsInClaude(event)
  const tool = name(event, 'toolName')
  const field = has(event, 'toolInput') ? 'toolInput' : 'toolArgs'
  const raw = fieldValue(event, field)
  // A patch may also come as a here-document.
  if (typeof raw === 'string' && (isPatch(raw) || (tool === 'apply_patch' && !/^\s*\{/.test(raw))))
    return { kind: 'patch', tool, patch: raw }
  const input = objectOrJson(event, field)
  if (tool === 'bash') return readShell({ tool, dialect: 'bash' }, input)
  if (tool === 'powershell') return readShell({ tool, dialect: 'powershell' }, input)
  if (tool === 'create') return readCreate(tool, input)
  if (tool === 'edit' || tool === 'str_replace') return readEdit(tool, input)
  return findMcpCall(tool, input) ?? findMcpCallByName(tool, input) ?? callByShape(tool, input)
}

/** `Edit` may be the name of `apply_patch`, whose input is the patch itself. */
function readNamedAsInClaude(event: Fields): ToolCall {
  const input = fieldValue(event, 'tool_input')
  if (typeof input !== 'string' || !isPatch(input)) return readClaudeCall(event)
  return { kind: 'patch', tool: name(event, 'tool_name'), patch: input }
}

function readCreate(tool: string, input: Fields): ToolCall {
  return { kind: 'write', tool, path: name(input, 'path'), content: text(input, 'file_text') }
}

function readEdit(tool: string, input: Fields): ToolCall {
  const edit = { before: text(input, 'old_str'), after: text(input, 'new_str'), all: false }
  return { kind: 'edit', tool, path: name(input, 'path'), edits: [edit] }
}

/**
 * `<server>-<tool>`, split at the last dash because tools have dashes less often than servers. A wrong split names
 * a server that is not locked, so the call is refused. Copilot's own tools have no dash.
 */
function findMcpCallByName(tool: string, input: Fields): ToolCall | undefined {
  const [, server, called] = /^(.+)-([^-]+)$/s.exec(tool) ?? []
  if (server === undefined || called === undefined) return undefined
  return { kind: 'mcp', tool, server, name: called, args: input.values, launch: undefined }
}

/** The model only learns that the hook exited with 2; it reads the reason from the JSON on stdout. */
function reply(event: HookEvent, wanted: Outcome): Reply {
  const outcome = settle(event, wanted)
  const answer = answerOf(event, outcome)
  if (outcome.kind === 'pass') return answer === undefined ? replyPass(outcome.context) : replyJson(answer)
  return event.moment === 'after-tool' && answer ? replyJson(answer) : replyBlock(outcome.text, answer)
}

function replyBody(event: HookEvent, wanted: Outcome): string {
  return printBody(answerOf(event, settle(event, wanted)))
}

/** The JSON answer that Copilot documents. Undefined: pml does not interfere. */
function answerOf({ moment, eventName }: HookEvent, outcome: Outcome): JsonObject | undefined {
  if (outcome.kind === 'pass') {
    const isTold = outcome.context !== undefined && moment === 'session-start'
    return isTold ? { additionalContext: outcome.context } : undefined
  }
  const reason = printReason(outcome.text).trimEnd()
  if (moment === 'after-tool')
    return { modifiedResult: { resultType: 'denied', textResultForLlm: reason }, additionalContext: reason }
  return eventName?.toLowerCase() === 'permissionrequest'
    ? { behavior: 'deny', message: reason }
    : { permissionDecision: 'deny', permissionDecisionReason: reason }
}

function has(event: Fields, field: string): boolean {
  return fieldValue(event, field) !== undefined
}
