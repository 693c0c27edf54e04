import type { HookEvent, JsonObject, ToolCall } from '../event.ts'
import { name, optionalText, wholePath, type Fields } from './fields.ts'
import { momentOf } from './moment-of.ts'

interface Dialect {
  readonly agent: string
  /** The agent's names for the relevant events. */
  readonly moments: ReadonlyMap<string, HookEvent['moment']>
  readCall(event: Fields, cwd: string): ToolCall
}

/** Parses an event with the fields of Claude Code, of an agent that never asks a person. */
export function parseEvent(values: JsonObject, { agent, moments, readCall }: Dialect): HookEvent {
  const event: Fields = { agent, at: '', values }
  const eventName = name(event, 'hook_event_name')
  const moment = momentOf(event, moments, eventName)
  const cwd = wholePath(event, 'cwd')
  return {
    agent,
    moment,
    session: optionalText(event, 'session_id'),
    callId: optionalText(event, 'tool_use_id'),
    overTool: moment === 'after-tool' ? optionalText(event, 'tool_name') : undefined,
    cwd,
    call: moment === 'before-tool' ? readCall(event, cwd) : undefined,
    changedFile: undefined,
    mayAsk: false,
    eventName,
  }
}
