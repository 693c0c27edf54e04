import type { ToolCall } from '../event.ts'
import { findFileCall } from '../writes/find-file-call.ts'
import { type Fields, fieldValue } from './fields.ts'
import { readShell } from './command-line.ts'

const commandNames = ['command', 'cmd', 'command_line', 'commandLine', 'CommandLine']
const patchNames = ['patch', 'input', 'command', 'diff', 'content']

/**
 * Classifies a call of an unknown tool by its input, such as a tool of a newer version. Unrecognised input is
 * `other`.
 */
export function callByShape(tool: string, input: Fields): ToolCall {
  return (
    findPatch(tool, input) ??
    findFileCall(tool, input.values) ??
    findShell(tool, input) ?? { kind: 'other', tool, input: input.values }
  )
}

export function isPatch(text: string): boolean {
  return text.trimStart().startsWith('*** Begin Patch')
}

function findPatch(tool: string, input: Fields): ToolCall | undefined {
  const patch = patchNames.map((name) => patchIn(fieldValue(input, name))).find(Boolean)
  return patch === undefined ? undefined : { kind: 'patch', tool, patch }
}

function patchIn(value: unknown): string | undefined {
  // ["apply_patch", "*** Begin Patch …"]: the form in which the patch is the argument of a program.
  const text = Array.isArray(value) && value[0] === 'apply_patch' ? value[1] : value
  return typeof text === 'string' && isPatch(text) ? text : undefined
}

function findShell(tool: string, input: Fields): ToolCall | undefined {
  const field = commandNames.find((name) => isCommand(fieldValue(input, name)))
  if (field === undefined) return undefined
  const dialect = /powershell|pwsh/i.test(tool) ? 'powershell' : 'bash'
  return readShell({ tool, dialect, field }, input)
}

function isCommand(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length > 0 && value.every((word) => typeof word === 'string')
    : typeof value === 'string'
}
