import type { HookEvent, JsonObject, ToolCall } from '../event.ts'
import type { Outcome, Reply } from '../outcome.ts'
import type { Adapter } from './adapter.ts'
import { callByShape, isPatch } from './call-by-shape.ts'
import { findMcpCall, readClaudeCall } from './claude-calls.ts'
import { readShell } from './command-line.ts'
import {
  type Fields,
  name,
  objectOrJson,
  optionalText,
  text,
  unexpected,
  fieldValue,
  wholePath,
} from './fields.ts'
import { printReason, replyBlock, replyJson, replyPass, settle } from './replies.ts'

/**
 * GitHub Copilot (command line and cloud agent): https://docs.github.com/en/copilot/reference/hooks-reference.
 * A hook whose event is written `preToolUse` gets camelCase, one written `PreToolUse` gets what Claude Code sends.
 */
export const copilot: Adapter = { agent: 'copilot', parse, reply, replyBody }

function parse(values: JsonObject): HookEvent {
  const event: Fields = { agent: 'copilot', at: '', values }
  const eventName = findEventName(event)
  const moment = momentOf(eventName)
  return {
    agent: 'copilot',
    moment,
    session: optionalText(event, 'sessionId') ?? optionalText(event, 'session_id'),
    cwd: wholePath(event, 'cwd'),
    call: moment === 'before-tool' ? readCall(event) : undefined,
    changedFile: undefined,
    mayAsk: false,
    eventName,
  }
}

/** What the events have that are about no call. */
const otherFields = ['prompt', 'reason', 'error', 'stopReason', 'transcriptPath']

/** The camelCase events do not say what they are; what they have tells it. */
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
  return known === 'sessionstart' ? 'session-start' : 'other'
}

function readCall(event: Fields): ToolCall {
  if (!has(event, 'toolName')) return readNamedAsInClaude(event)
  const tool = name(event, 'toolName')
  const field = has(event, 'toolInput') ? 'toolInput' : 'toolArgs'
  const raw = fieldValue(event, field)
  if (typeof raw === 'string' && isPatch(raw)) return { kind: 'patch', tool, patch: raw }
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
 * `<server>-<tool>`, which cannot be told apart when both have dashes. Tools have them less often than servers; a name
 * that is split at the wrong place names a server that nobody locked. No tool of Copilot itself has a dash.
 */
function findMcpCallByName(tool: string, input: Fields): ToolCall | undefined {
  const [, server, called] = /^(.+)-([^-]+)$/s.exec(tool) ?? []
  if (server === undefined || called === undefined) return undefined
  return { kind: 'mcp', tool, server, name: called, args: input.values, launch: undefined }
}

function reply(event: HookEvent, wanted: Outcome): Reply {
  const outcome = settle(event, wanted)
  if (outcome.kind !== 'pass') return replyBlock(outcome.text)
  const { context } = outcome
  return context !== undefined && event.moment === 'session-start'
    ? replyJson({ additionalContext: context })
    : replyPass(context)
}

function replyBody(event: HookEvent, wanted: Outcome): string {
  const outcome = settle(event, wanted)
  if (outcome.kind === 'pass') {
    const isTold = outcome.context !== undefined && event.moment === 'session-start'
    return isTold ? JSON.stringify({ additionalContext: outcome.context }) : ''
  }
  const reason = printReason(outcome.text).trimEnd()
  return JSON.stringify(
    event.eventName?.toLowerCase() === 'permissionrequest'
      ? { behavior: 'deny', message: reason }
      : { permissionDecision: 'deny', permissionDecisionReason: reason },
  )
}

function has(event: Fields, field: string): boolean {
  return fieldValue(event, field) !== undefined
}
