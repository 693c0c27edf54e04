import {
  isJsonObject,
  type Edit,
  type EditCall,
  type JsonObject,
  type NotebookCall,
  type WriteCall,
} from '../event.ts'

export const pathNames = [
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
export const contentNames = [
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

export type FileCall = WriteCall | EditCall | NotebookCall

interface FileNames {
  readonly paths: readonly string[]
  readonly contents: readonly string[]
}

/** Finds the file change in a tool's input: a path with a content, edits or the source of a cell. */
export function findFileCall(
  tool: string,
  input: JsonObject,
  { paths, contents }: FileNames = { paths: pathNames, contents: contentNames },
): FileCall | undefined {
  const path = findText(input, paths)
  if (path === undefined || path === '') return undefined
  const source = findText(input, sourceNames)
  if (source !== undefined) {
    const cell = findText(input, ['cell_id', 'cellId'])
    return { kind: 'notebook', tool, path, cell, source, mode: 'replace' }
  }
  const edits = findEdits(input)
  if (edits.length > 0) return { kind: 'edit', tool, path, edits }
  const content = findText(input, contents)
  return content === undefined ? undefined : { kind: 'write', tool, path, content }
}

function findEdits(input: JsonObject): readonly Edit[] {
  const single = findEdit(input)
  if (single !== undefined) return [single]
  const list = editListNames.map((name) => input[name]).find(Array.isArray) ?? []
  return list.filter(isJsonObject).flatMap((item) => findEdit(item) ?? [])
}

function findEdit(input: JsonObject): Edit | undefined {
  const after = findText(input, afterNames)
  if (after === undefined) return undefined
  const all = ['replace_all', 'replaceAll'].some((name) => input[name] === true)
  return { before: findText(input, beforeNames) ?? '', after, all }
}

/** Returns the first text that is not empty, else an empty one, which is valid for a file. */
export function findText(input: JsonObject, names: readonly string[]): string | undefined {
  const texts = names.map((name) => input[name]).filter((value) => typeof value === 'string')
  return texts.find((text) => text !== '') ?? texts[0]
}
