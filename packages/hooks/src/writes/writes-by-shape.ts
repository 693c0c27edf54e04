import { isJsonObject, type JsonObject, type ToolCall } from '../event.ts'
import { contentNames, findFileCall, findText, pathNames } from './find-file-call.ts'

/** Of tools that nobody knows, more words may mean a file. */
const names = {
  paths: [...pathNames, 'filepath', 'destination', 'dest', 'uri'],
  contents: [...contentNames, 'data', 'code', 'body', 'value'],
}

/**
 * The writes that the arguments of a tool which nobody knows look like: a path and a content, a path and edits, two paths
 * to move between. A tool that only looks so is judged as if it wrote; what is blocked by that is a write in a place where
 * there must be none.
 */
export function findWritesByShape(args: JsonObject): ToolCall[] {
  const tool = 'by shape'
  const source = findText(args, ['source', 'src', 'from', 'old_path', 'oldPath'])
  const target = findText(args, ['destination', 'dest', 'to', 'new_path', 'newPath', 'target'])
  if (source && target)
    return [
      { kind: 'edit', tool, path: target, edits: [] },
      { kind: 'edit', tool, path: source, edits: [] },
    ]
  const call = findFileCall(tool, args, names)
  return call === undefined ? listsIn(args) : [call]
}

/** `{files: [{path, content}]}`. */
function listsIn(args: JsonObject): ToolCall[] {
  return Object.values(args)
    .filter((value) => Array.isArray(value))
    .flatMap((list) => list.filter(isJsonObject).flatMap(findWritesByShape))
}
