import { isJsonObject, type Edit, type ToolCall } from '../event.ts'
import { type Fields, fieldValue } from './fields.ts'
import { readShell } from './command-line.ts'

const pathNames = [
  'file_path',
  'filePath',
  'path',
  'target_file',
  'targetFile',
  'TargetFile',
  'notebook_path',
  'notebookPath',
  'absolute_path',
  'absolutePath',
  'file_name',
  'fileName',
  'filename',
  'file',
]
const contentNames = [
  'content',
  'contents',
  'file_text',
  'fileText',
  'text',
  'new_content',
  'newContent',
  'code_edit',
  'codeEdit',
  'CodeContent',
]
const afterNames = [
  'new_string',
  'newString',
  'new_str',
  'newStr',
  'new_text',
  'newText',
  'insert_text',
  'replacement',
  'replace',
  'ReplacementContent',
]
const beforeNames = [
  'old_string',
  'oldString',
  'old_str',
  'oldStr',
  'old_text',
  'oldText',
  'search',
  'TargetContent',
]
const sourceNames = ['new_source', 'newSource']
const editListNames = ['edits', 'replacements', 'ReplacementChunks']
const commandNames = ['command', 'cmd', 'command_line', 'commandLine', 'CommandLine']
const patchNames = ['patch', 'input', 'command', 'diff', 'content']

/**
 * What a call is by the look of its input, for a tool whose name says nothing to us: one of a newer version, or one
 * whose name is written otherwise. A tool that looks like nothing we know is `other`.
 */
export function callByShape(tool: string, input: Fields): ToolCall {
  return (
    findPatch(tool, input) ??
    findFileCall(tool, input) ??
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

function findFileCall(tool: string, input: Fields): ToolCall | undefined {
  const path = findText(input, pathNames)
  if (path === undefined || path === '') return undefined
  const source = findText(input, sourceNames)
  if (source !== undefined) {
    const cell = findText(input, ['cell_id', 'cellId'])
    return { kind: 'notebook', tool, path, cell, source, mode: 'replace' }
  }
  const edits = findEdits(input)
  if (edits !== undefined) return { kind: 'edit', tool, path, edits }
  const content = findText(input, contentNames)
  return content === undefined ? undefined : { kind: 'write', tool, path, content }
}

function findEdits(input: Fields): readonly Edit[] | undefined {
  const single = findEdit(input)
  if (single !== undefined) return [single]
  const list = editListNames.map((name) => fieldValue(input, name)).find(Array.isArray)
  const edits = list?.map((item: unknown) =>
    isJsonObject(item) ? findEdit({ ...input, values: item }) : undefined,
  )
  return edits?.every((edit) => edit !== undefined) === true ? edits : undefined
}

function findEdit(input: Fields): Edit | undefined {
  const after = findText(input, afterNames)
  if (after === undefined) return undefined
  const all = ['replace_all', 'replaceAll'].some((name) => fieldValue(input, name) === true)
  return { before: findText(input, beforeNames) ?? '', after, all }
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

function findText(input: Fields, names: readonly string[]): string | undefined {
  return names
    .map((name) => fieldValue(input, name))
    .find((value): value is string => typeof value === 'string')
}
