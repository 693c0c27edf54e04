import type { HookEvent, JsonObject, McpCall, ToolCall } from '../../event.ts'
import type { Outcome, Reply } from '../../outcome.ts'
import type { Adapter } from '../../events/adapter.ts'
import { callByShape } from '../../events/call-by-shape.ts'
import { dialectIn, readShell } from '../../events/command-line.ts'
import {
  type Fields,
  isWholePath,
  name,
  objectOrJson,
  optionalText,
  unexpected,
  fieldValue,
  wholePath,
} from '../../events/fields.ts'
import { momentOf } from '../../events/moment-of.ts'
import { printBody, printReason, replyBlock, replyJson, replyPass, settle } from '../../events/replies.ts'

type ReadCall = (event: Fields, cwd: string) => ToolCall

const calls: ReadonlyMap<string, ReadCall> = new Map([
  ['beforeShellExecution', readShellEvent],
  ['beforeMCPExecution', readMcpEvent],
  ['beforeReadFile', readReadEvent],
  ['preToolUse', readToolEvent],
])

/** Cursor: https://cursor.com/docs/agent/hooks */
export const events: Adapter = { agent: 'cursor', parse, reply, replyBody }

function parse(values: JsonObject): HookEvent {
  const event: Fields = { agent: 'cursor', at: '', values }
  const eventName = name(event, 'hook_event_name')
  const cwd = readCwd(event)
  const call = findReader(event, eventName)?.(event, cwd)
  return {
    agent: 'cursor',
    moment: momentWith(eventName, call),
    session: optionalText(event, 'conversation_id') ?? optionalText(event, 'session_id'),
    overTool: eventName === 'afterShellExecution' ? 'Shell' : undefined,
    cwd,
    call,
    changedFile: undefined,
    mayAsk: eventName === 'beforeShellExecution' || eventName === 'beforeMCPExecution',
    eventName,
  }
}

function findReader(event: Fields, eventName: string): ReadCall | undefined {
  const isCall = momentOf(event, new Map(), eventName) === 'before-tool'
  return calls.get(eventName) ?? (isCall ? readToolEvent : undefined)
}

const afterCalls = new Set(['afterShellExecution', 'afterMCPExecution', 'postToolUse', 'postToolUseFailure'])

function momentWith(eventName: string, call: ToolCall | undefined): HookEvent['moment'] {
  if (call !== undefined) return 'before-tool'
  if (afterCalls.has(eventName)) return 'after-tool'
  return eventName === 'sessionStart' ? 'session-start' : 'other'
}

/** `cwd` may be empty or missing. */
function readCwd(event: Fields): string {
  if ((optionalText(event, 'cwd') ?? '') !== '') return wholePath(event, 'cwd')
  const roots = fieldValue(event, 'workspace_roots')
  const [root]: readonly unknown[] = Array.isArray(roots) ? roots : []
  if (typeof root === 'string' && isWholePath(root)) return root
  throw unexpected(event, 'workspace_roots[0]', { expected: 'a whole path', value: root })
}

function readShellEvent(event: Fields, cwd: string): ToolCall {
  return { kind: 'shell', tool: 'Shell', command: name(event, 'command'), dialect: dialectIn(cwd) }
}

function readReadEvent(event: Fields): ToolCall {
  return { kind: 'other', tool: 'Read', input: { file_path: name(event, 'file_path') } }
}

/** The event has the server's command or URL but not its name in every version; `server` is '' then. */
function readMcpEvent(event: Fields): ToolCall {
  const tool = name(event, 'tool_name')
  const named = /^MCP:(.+):([^:]+)$/s.exec(tool)
  const server = optionalText(event, 'mcp_server_name') ?? named?.[1] ?? ''
  const called = named?.[2] ?? tool.replace(/^MCP:/, '')
  const args = readInput(event).values
  return { kind: 'mcp', tool, server, name: called, args, launch: readLaunch(event) }
}

function readLaunch(event: Fields): McpCall['launch'] {
  const url = optionalText(event, 'url')
  if (url !== undefined) return { url }
  const command = optionalText(event, 'command')
  return command === undefined ? undefined : { command }
}

function readToolEvent(event: Fields, cwd: string): ToolCall {
  const tool = name(event, 'tool_name')
  const input = readInput(event)
  if (tool === 'Shell') return readShell({ tool, dialect: dialectIn(cwd) }, input)
  if (!tool.startsWith('MCP:')) return callByShape(tool, input)
  const isServerKnown = /^MCP:.+:/s.test(tool) || fieldValue(event, 'mcp_server_name') !== undefined
  // This event does not name the server; beforeMCPExecution for the same call does.
  return isServerKnown ? readMcpEvent(event) : { kind: 'other', tool, input: input.values }
}

/** Versions differ: an object, the JSON text of one, or nothing for a tool without arguments. */
function readInput(event: Fields): Fields {
  const value = fieldValue(event, 'tool_input')
  if (value === undefined || value === null || value === '') return { ...event, values: {} }
  return objectOrJson(event, 'tool_input')
}

function reply(event: HookEvent, wanted: Outcome): Reply {
  const outcome = settle(event, wanted)
  if (outcome.kind === 'block' && event.moment !== 'after-tool') return replyBlock(outcome.text)
  const answer = answerOf(event, outcome)
  if (answer !== undefined) return replyJson(answer)
  return replyPass(outcome.kind === 'pass' ? outcome.context : undefined)
}

function replyBody(event: HookEvent, wanted: Outcome): string {
  return printBody(answerOf(event, settle(event, wanted)))
}

function answerOf(event: HookEvent, outcome: Outcome): JsonObject | undefined {
  if (outcome.kind === 'pass') {
    // With `failClosed` an empty answer counts as failed; Cursor's own permissions still apply after "allow".
    if (event.moment === 'before-tool') return { permission: 'allow' }
    const isTold = outcome.context !== undefined && event.moment === 'session-start'
    return isTold ? { additional_context: outcome.context } : undefined
  }
  const message = printReason(outcome.text).trimEnd()
  if (event.moment === 'after-tool') return { additional_context: message }
  const permission = outcome.kind === 'block' ? 'deny' : 'ask'
  return { permission, user_message: message, agent_message: message }
}
