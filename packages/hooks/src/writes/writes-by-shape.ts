import { isJsonObject, type Edit, type JsonObject, type ToolCall } from '../event.ts'

const pathKeys = [
  'path',
  'file_path',
  'filePath',
  'filepath',
  'file',
  'filename',
  'fileName',
  'notebook_path',
  'target_file',
  'destination',
  'dest',
  'uri',
]
const contentKeys = [
  'content',
  'contents',
  'text',
  'file_text',
  'fileText',
  'data',
  'new_content',
  'code',
  'body',
  'value',
  'code_edit',
]
const editPairs = [
  ['old_string', 'new_string'],
  ['oldText', 'newText'],
  ['old_text', 'new_text'],
  ['old_str', 'new_str'],
  ['oldString', 'newString'],
  ['search', 'replace'],
] as const

/**
 * The writes that the arguments of a tool which nobody knows look like: a path and a content, a path and edits, two paths
 * to move between. A tool that only looks so is judged as if it wrote; what is blocked by that is a write in a place where
 * there must be none.
 */
export function findWritesByShape(args: JsonObject): ToolCall[] {
  const path = firstText(args, pathKeys)
  const tool = 'by shape'
  const source = firstText(args, ['source', 'src', 'from', 'old_path', 'oldPath'])
  const target = firstText(args, ['destination', 'dest', 'to', 'new_path', 'newPath', 'target'])
  if (source !== undefined && target !== undefined)
    return [
      { kind: 'edit', tool, path: target, edits: [] },
      { kind: 'edit', tool, path: source, edits: [] },
    ]
  if (path === undefined) return listsIn(args)
  const edits = editsIn(args)
  if (edits.length > 0) return [{ kind: 'edit', tool, path, edits }]
  const content = firstText(args, contentKeys)
  return content === undefined ? listsIn(args) : [{ kind: 'write', tool, path, content }]
}

/** `{files: [{path, content}]}`. */
function listsIn(args: JsonObject): ToolCall[] {
  return Object.values(args)
    .filter((value) => Array.isArray(value))
    .flatMap((list) => list.filter(isJsonObject).flatMap(findWritesByShape))
}

function editsIn(args: JsonObject): Edit[] {
  const own = editIn(args)
  if (own) return [own]
  const list = args['edits'] ?? args['replacements']
  return Array.isArray(list) ? list.filter(isJsonObject).flatMap((one) => editIn(one) ?? []) : []
}

function editIn(args: JsonObject): Edit | undefined {
  for (const [old, now] of editPairs) {
    const [before, after] = [args[old], args[now]]
    if (typeof before === 'string' && typeof after === 'string')
      return { before, after, all: args['replace_all'] === true || args['replaceAll'] === true }
  }
  return undefined
}

function firstText(args: JsonObject, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = args[key]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}
