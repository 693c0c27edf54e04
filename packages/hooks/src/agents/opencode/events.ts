import type { HookEvent, JsonObject, ToolCall } from '../../event.ts'
import type { Adapter } from '../../events/adapter.ts'
import { callByShape } from '../../events/call-by-shape.ts'
import { dialectIn, readShell } from '../../events/command-line.ts'
import { type Fields, name, object } from '../../events/fields.ts'
import { parseEvent } from '../../events/parse-event.ts'
import { denyBody, replyByExit } from '../../events/replies.ts'
import { findMcpCall } from '../claude/calls.ts'
import { AFTER, BEFORE } from './plugin.ts'

const moments: ReadonlyMap<string, HookEvent['moment']> = new Map([
  [BEFORE, 'before-tool'],
  [AFTER, 'after-tool'],
])

/** The events that pml's own plugin sends, with the fields of Claude Code and the tools of opencode. */
export const events: Adapter = { agent: 'opencode', parse, reply: replyByExit, replyBody: denyBody }

function parse(values: JsonObject): HookEvent {
  return parseEvent(values, { agent: 'opencode', moments, readCall })
}

function readCall(event: Fields, cwd: string): ToolCall {
  const tool = name(event, 'tool_name')
  const input = object(event, 'tool_input')
  if (tool === 'bash') return readShell({ tool, dialect: dialectIn(cwd) }, input)
  if (tool === 'apply_patch') return { kind: 'patch', tool, patch: name(input, 'patchText') }
  return findMcpCall(tool, input) ?? findMcpCallByName(tool, input) ?? callByShape(tool, input)
}

/** Tools of opencode itself with `_` in their name. */
const ownNames = new Set(['plan_enter', 'plan_exit'])

/**
 * `<server>_<tool>`, split at the first `_`; names of configured servers with `_` are matched later. A plugin's
 * tool with `_` in its name counts as a tool of a server that is not locked.
 */
function findMcpCallByName(tool: string, input: Fields): ToolCall | undefined {
  const [, server, called] = /^([^_]+)_(.+)$/s.exec(tool) ?? []
  if (server === undefined || called === undefined || ownNames.has(tool)) return undefined
  return { kind: 'mcp', tool, server, name: called, args: input.values, launch: undefined }
}
