import type { Edit, EditCall, JsonObject, WriteCall } from '../event.ts'

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

const sourceKeys = ['source', 'src', 'from', 'old_path', 'oldPath']
const targetKeys = ['destination', 'dest', 'to', 'new_path', 'newPath', 'target']

/** Names of tools that take files away: Delete, delete_file, removeFiles. */
const removes = /(?:^|[^a-z])(?:delete|remove|unlink|trash|rm)(?![a-z])|^(?:delete|remove|unlink|trash)[A-Z]/i

export type ShapedWrite =
  | EditCall
  | WriteCall
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'move'; readonly from: string; readonly to: string }

/**
 * The writes that the arguments of a tool which nobody knows look like: a path and a content, a path and edits, two paths
 * to move between, paths and a name that says they go. A tool that only looks so is judged as if it wrote; what is blocked
 * by that is a write in a place where there must be none.
 */
export function findWritesByShape(name: string, args: JsonObject): ShapedWrite[] {
  const tool = 'by shape'
  const [from, to] = [firstText(args, sourceKeys), firstText(args, targetKeys)]
  if (from !== undefined && to !== undefined) return [{ kind: 'move', from, to }]
  const path = firstText(args, pathKeys)
  if (path === undefined) return [...listsIn(name, args), ...removedIn(name, args)]
  const edits = editsIn(args)
  if (edits.length > 0) return [{ kind: 'edit', tool, path, edits }]
  const content = firstText(args, contentKeys)
  if (content !== undefined) return [{ kind: 'write', tool, path, content }]
  return [...listsIn(name, args), ...(removes.test(name) ? [{ kind: 'delete', path } as const] : [])]
}

/** `{files: [{path, content}]}`. */
function listsIn(name: string, args: JsonObject): ShapedWrite[] {
  return Object.values(args)
    .filter((value) => Array.isArray(value))
    .flatMap((list) => list.filter(isObject).flatMap((one) => findWritesByShape(name, one)))
}

/** `{paths: ['a', 'b']}`. */
function removedIn(name: string, args: JsonObject): ShapedWrite[] {
  if (!removes.test(name)) return []
  return ['paths', 'files', 'file_paths', 'filePaths']
    .flatMap((key) => args[key] ?? [])
    .filter((path) => typeof path === 'string' && path !== '')
    .map((path) => ({ kind: 'delete', path: String(path) }))
}

function editsIn(args: JsonObject): Edit[] {
  const own = editIn(args)
  if (own) return [own]
  const list = args['edits'] ?? args['replacements']
  return Array.isArray(list) ? list.filter(isObject).flatMap((one) => editIn(one) ?? []) : []
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

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
