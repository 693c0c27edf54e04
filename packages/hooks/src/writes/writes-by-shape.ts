import { isJsonObject, type JsonObject } from '../event.ts'
import { contentNames, findFileCall, findText, pathNames, type FileCall } from './find-file-call.ts'

/** Of tools that nobody knows, more words may mean a file. */
const names = {
  paths: [...pathNames, 'filepath', 'destination', 'dest', 'uri'],
  contents: [...contentNames, 'data', 'code', 'body', 'value'],
}
const sourceNames = ['source', 'src', 'from', 'old_path', 'oldPath']
const targetNames = ['destination', 'dest', 'to', 'new_path', 'newPath', 'target']
const listNames = ['paths', 'files', 'file_paths', 'filePaths']

/** Names of tools that take files away: Delete, delete_file, removeFiles. */
const removes = /(?:^|[^a-z])(?:delete|remove|unlink|trash|rm)(?![a-z])|^(?:delete|remove|unlink|trash)[A-Z]/i

export type ShapedWrite =
  | FileCall
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'move'; readonly from: string; readonly to: string }

/**
 * The writes that the arguments of a tool which nobody knows look like: a path and a content, a path and edits, two paths
 * to move between, paths and a name that says they go. A tool that only looks so is judged as if it wrote; what is blocked
 * by that is a write in a place where there must be none.
 */
export function findWritesByShape(name: string, args: JsonObject): ShapedWrite[] {
  const [from, to] = [findText(args, sourceNames), findText(args, targetNames)]
  if (from && to) return [{ kind: 'move', from, to }]
  // Nobody knows which of several paths is the file.
  const calls = names.paths.flatMap((key) => findFileCall('by shape', args, { ...names, paths: [key] }) ?? [])
  return calls.length > 0 ? calls : [...listsIn(name, args), ...removedIn(name, args)]
}

/** `{files: [{path, content}]}`. */
function listsIn(name: string, args: JsonObject): ShapedWrite[] {
  return Object.values(args)
    .filter((value) => Array.isArray(value))
    .flatMap((list) => list.filter(isJsonObject).flatMap((one) => findWritesByShape(name, one)))
}

/** `{path: 'a'}` or `{paths: ['a', 'b']}`. */
function removedIn(name: string, args: JsonObject): ShapedWrite[] {
  if (!removes.test(name)) return []
  const paths = [findText(args, names.paths), ...listNames.flatMap((key) => args[key] ?? [])]
  return paths.flatMap((path) => (typeof path === 'string' && path !== '' ? [{ kind: 'delete', path }] : []))
}
