import type { HookEvent, JsonObject, McpCall, ToolCall } from '../../event.ts'
import type { Outcome } from '../../outcome.ts'
import type { Adapter } from '../../events/adapter.ts'
import { callByShape } from '../../events/call-by-shape.ts'
import { claudeContext, replyWithContext } from '../claude/answers.ts'
import { findMcpCall } from '../claude/calls.ts'
import { dialectIn, readShell } from '../../events/command-line.ts'
import {
  type Fields,
  name,
  object,
  optionalObject,
  optionalText,
  text,
  fieldValue,
} from '../../events/fields.ts'
import { parseEvent } from '../../events/parse-event.ts'
import { printBody, printReason, settle } from '../../events/replies.ts'

const moments: ReadonlyMap<string, HookEvent['moment']> = new Map([
  ['BeforeTool', 'before-tool'],
  ['AfterTool', 'after-tool'],
  ['SessionStart', 'session-start'],
])

/** Gemini CLI: https://geminicli.com/docs/hooks/reference */
export const events: Adapter = { agent: 'gemini', parse, reply: replyWithContext, replyBody }

function parse(values: JsonObject): HookEvent {
  return parseEvent(values, { agent: 'gemini', moments, readCall })
}

function readCall(event: Fields, cwd: string): ToolCall {
  const tool = name(event, 'tool_name')
  const input = object(event, 'tool_input')
  if (tool === 'write_file') return readWrite(tool, input)
  if (tool === 'replace') return readReplace(tool, input)
  if (tool === 'run_shell_command') return readShell({ tool, dialect: dialectIn(cwd) }, input)
  return (
    findCallInContext(tool, { event, input }) ??
    findMcpCall(tool, input) ??
    findMcpCallByName(tool, input) ??
    callByShape(tool, input)
  )
}

function readWrite(tool: string, input: Fields): ToolCall {
  const content = text(input, 'content')
  return { kind: 'write', tool, path: name(input, 'file_path'), content, writer: 'gemini' }
}

/** Replaces one match unless the model expects more or asks for all. */
function readReplace(tool: string, input: Fields): ToolCall {
  const expected = fieldValue(input, 'expected_replacements')
  const all = fieldValue(input, 'allow_multiple') === true || (typeof expected === 'number' && expected > 1)
  const edit = { before: text(input, 'old_string'), after: text(input, 'new_string'), all }
  return { kind: 'edit', tool, path: name(input, 'file_path'), edits: [edit], writer: 'gemini' }
}

function findCallInContext(
  tool: string,
  { event, input }: { event: Fields; input: Fields },
): ToolCall | undefined {
  const context = optionalObject(event, 'mcp_context')
  if (context === undefined) return undefined
  return {
    kind: 'mcp',
    tool,
    server: name(context, 'server_name'),
    name: name(context, 'tool_name'),
    args: input.values,
    launch: readLaunch(context),
  }
}

function readLaunch(context: Fields): McpCall['launch'] {
  const url = optionalText(context, 'url')
  if (url !== undefined) return { url }
  const command = optionalText(context, 'command')
  if (command === undefined) return undefined
  const args = fieldValue(context, 'args')
  return { command: [command, ...(Array.isArray(args) ? args : [])].join(' ') }
}

/**
 * `mcp_<server>_<tool>` of versions without `mcp_context`. A server with `_` in its name is split at the wrong
 * place.
 */
function findMcpCallByName(tool: string, input: Fields): ToolCall | undefined {
  const [, server, called] = /^mcp_([^_]+)_(.+)$/s.exec(tool) ?? []
  if (server === undefined || called === undefined) return undefined
  return { kind: 'mcp', tool, server, name: called, args: input.values, launch: undefined }
}

function replyBody(event: HookEvent, wanted: Outcome): string {
  const outcome = settle(event, wanted)
  if (outcome.kind !== 'pass') {
    return JSON.stringify({ decision: 'deny', reason: printReason(outcome.text).trimEnd() })
  }
  return printBody(claudeContext(event, outcome.context))
}
