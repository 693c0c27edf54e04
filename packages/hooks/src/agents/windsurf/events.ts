import type { HookEvent, JsonObject, ToolCall } from '../../event.ts'
import type { Adapter } from '../../events/adapter.ts'
import { readOneEdit } from '../claude/calls.ts'
import { dialectIn } from '../../events/command-line.ts'
import {
  type Fields,
  isWholePath,
  name,
  object,
  objectOrJson,
  objects,
  optionalText,
  unexpected,
  fieldValue,
  wholePath,
} from '../../events/fields.ts'
import { denyBody, replyByExit } from '../../events/replies.ts'

/** Windsurf: https://docs.windsurf.com/windsurf/cascade/hooks */
export const events: Adapter = { agent: 'windsurf', parse, reply: replyByExit, replyBody: denyBody }

function parse(values: JsonObject, startedIn?: string): HookEvent {
  const event: Fields = { agent: 'windsurf', at: '', values }
  const eventName = name(event, 'agent_action_name')
  const cwd = readCwd(event, startedIn)
  const call = findCall(eventName, event, cwd)
  return {
    agent: 'windsurf',
    moment: call !== undefined ? 'before-tool' : eventName.startsWith('post_') ? 'after-tool' : 'other',
    session: optionalText(event, 'trajectory_id'),
    overTool: eventName === 'post_run_command' ? 'Shell' : undefined,
    cwd,
    call,
    changedFile: undefined,
    mayAsk: false,
    eventName,
  }
}

function findCall(action: string, event: Fields, cwd: string): ToolCall | undefined {
  if (action === 'pre_write_code') return readEdits(action, object(event, 'tool_info'))
  if (action === 'pre_run_command') {
    const command = name(object(event, 'tool_info'), 'command_line')
    return { kind: 'shell', tool: action, command, dialect: dialectIn(cwd) }
  }
  if (action === 'pre_mcp_tool_use') return readMcp(object(event, 'tool_info'))
  // Other `pre_` actions can be refused too; later versions may add some.
  if (!action.startsWith('pre_') || action === 'pre_user_prompt') return undefined
  return { kind: 'other', tool: action, input: object(event, 'tool_info').values }
}

function readEdits(tool: string, info: Fields): ToolCall {
  const edits = objects(info, 'edits').map(readOneEdit)
  return { kind: 'edit', tool, path: name(info, 'file_path'), edits }
}

function readMcp(info: Fields): ToolCall {
  const called = name(info, 'mcp_tool_name')
  const hasArguments = (fieldValue(info, 'mcp_tool_arguments') ?? undefined) !== undefined
  return {
    kind: 'mcp',
    tool: called,
    server: name(info, 'mcp_server_name'),
    name: called,
    args: hasArguments ? objectOrJson(info, 'mcp_tool_arguments').values : {},
    launch: undefined,
  }
}

/** Only commands have a `cwd`. Hooks are started in the workspace root. */
function readCwd(event: Fields, startedIn: string | undefined): string {
  const info = fieldValue(event, 'tool_info') === undefined ? undefined : object(event, 'tool_info')
  for (const fields of [info, event]) {
    if (fields !== undefined && (optionalText(fields, 'cwd') ?? '') !== '') {
      return wholePath(fields, 'cwd')
    }
  }
  if (startedIn !== undefined && isWholePath(startedIn)) return startedIn
  throw unexpected(event, 'tool_info.cwd', { expected: 'a whole path', value: undefined })
}
