import type { ToolCall } from '../../event.ts'
import { callByShape } from '../../events/call-by-shape.ts'
import { readShell } from '../../events/command-line.ts'
import {
  type Fields,
  name,
  object,
  objects,
  optionalFlag,
  optionalText,
  text,
  unexpected,
  fieldValue,
} from '../../events/fields.ts'

type ReadCall = (tool: string, input: Fields) => ToolCall

/** The tools of Claude Code. Other agents use the same names and inputs. */
const readers = new Map<string, ReadCall>([
  ['Write', readWrite],
  ['Edit', readEdit],
  ['MultiEdit', readMultiEdit],
  ['NotebookEdit', readNotebook],
  ['Bash', (tool, input) => readShell({ tool, dialect: 'bash' }, input)],
  ['PowerShell', (tool, input) => readShell({ tool, dialect: 'powershell' }, input)],
])

/** `tool_name` and `tool_input` of an event. */
export function readClaudeCall(event: Fields): ToolCall {
  const tool = name(event, 'tool_name')
  const input = object(event, 'tool_input')
  const read = readers.get(tool)
  if (read === undefined) return findMcpCall(tool, input) ?? callByShape(tool, input)
  // Copilot runs hooks of Claude Code too, with the names of its tools and inputs of its own.
  const isOfClaude = ['file_path', 'notebook_path', 'command'].some(
    (field) => fieldValue(input, field) !== undefined,
  )
  const call = isOfClaude ? undefined : callByShape(tool, input)
  return call === undefined || call.kind === 'other' ? read(tool, input) : call
}

/**
 * `mcp__server__tool`; a plugin's server is `plugin_<plugin>_<server>`. The server is '' when the name cannot be
 * split. Tools that read resources name the server in their input.
 */
export function findMcpCall(tool: string, input: Fields): ToolCall | undefined {
  const reader = /mcp_?resource/i.test(tool) ? fieldValue(input, 'server') : undefined
  const [, rest] = /^mcp__(.+)$/s.exec(tool) ?? []
  const [, server = '', called = rest] = /^(.+?)__(.+)$/s.exec(rest ?? '') ?? []
  const call = { kind: 'mcp', tool, args: input.values, launch: undefined } as const
  if (typeof reader === 'string') return { ...call, server: reader, name: tool }
  return called === undefined ? undefined : { ...call, server, name: called }
}

function readWrite(tool: string, input: Fields): ToolCall {
  const content = text(input, 'content')
  return { kind: 'write', tool, path: name(input, 'file_path'), content, writer: 'claude' }
}

function readEdit(tool: string, input: Fields): ToolCall {
  const edits = [readOneEdit(input)]
  return { kind: 'edit', tool, path: name(input, 'file_path'), edits, writer: 'claude' }
}

function readMultiEdit(tool: string, input: Fields): ToolCall {
  const edits = objects(input, 'edits').map(readOneEdit)
  return { kind: 'edit', tool, path: name(input, 'file_path'), edits, writer: 'claude' }
}

export function readOneEdit(input: Fields) {
  return {
    before: text(input, 'old_string'),
    after: text(input, 'new_string'),
    all: optionalFlag(input, 'replace_all'),
  }
}

function readNotebook(tool: string, input: Fields): ToolCall {
  const mode = optionalText(input, 'edit_mode') ?? 'replace'
  if (mode !== 'replace' && mode !== 'insert' && mode !== 'delete') {
    throw unexpected(input, 'edit_mode', { expected: 'replace, insert or delete', value: mode })
  }
  return {
    kind: 'notebook',
    tool,
    path: name(input, 'notebook_path'),
    cell: optionalText(input, 'cell_id'),
    // A deleted cell has no source.
    source: mode === 'delete' ? (optionalText(input, 'new_source') ?? '') : text(input, 'new_source'),
    mode,
  }
}
