import { Buffer } from 'node:buffer'
import { isJsonObject, type JsonObject } from '../event.ts'
import { contentNames, findFileCall, findText, pathNames, type FileCall } from './find-file-call.ts'

/** More names that mean a file in unknown tools. */
const names = {
  paths: [...pathNames, 'filepath', 'destination', 'dest', 'uri'],
  contents: [...contentNames, 'data', 'code', 'body', 'value'],
}
const sourceNames = [
  'source',
  'src',
  'from',
  'old_path',
  'oldPath',
  'source_path',
  'sourcePath',
  'from_path',
  'fromPath',
]
const targetNames = [
  'destination',
  'dest',
  'to',
  'new_path',
  'newPath',
  'target',
  'destination_path',
  'destinationPath',
  'target_path',
  'targetPath',
  'to_path',
  'toPath',
]
const listNames = ['paths', 'files', 'file_paths', 'filePaths']

/** Names of tools that keep the source. */
const copies = /copy|duplicate|(?:^|[^a-z])cp(?![a-z])/i

/** Names of tools that delete files: Delete, delete_file, removeFiles. */
const removes = /(?:^|[^a-z])(?:delete|remove|unlink|trash|rm)(?![a-z])|^(?:delete|remove|unlink|trash)[A-Z]/i

/** Objects that only wrap the arguments. */
const wrapperNames = [
  'params',
  'arguments',
  'args',
  'input',
  'request',
  'payload',
  'options',
  'data',
  'edit',
  'operation',
]
const patchNames = ['patch', 'diff', 'unified_diff', 'unifiedDiff']
const encodedNames = ['base64', 'content_base64', 'contentBase64', 'base64_content', 'blob', 'data_base64']
const DEEPEST = 4

export type ShapedWrite =
  | FileCall
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'move' | 'copy'; readonly from: string; readonly to: string }
  /** A patch in the form of `*** Begin Patch`. */
  | { readonly kind: 'patch'; readonly patch: string }
  /** The result is not computed. */
  | { readonly kind: 'changed'; readonly path: string; readonly why: string }

/**
 * Finds writes in the arguments of an unknown tool: a path and a content, a path and edits, a move between two paths, or paths
 * and a name that means deletion. A tool that only looks like it is judged as if it wrote, so it is blocked only where writes
 * are forbidden.
 */
export function findWritesByShape(name: string, args: JsonObject, depth = 0): ShapedWrite[] {
  if (depth > DEEPEST) return []
  const [from, to] = [findText(args, sourceNames), findText(args, targetNames)]
  if (from && to) return [{ kind: copies.test(name) ? 'copy' : 'move', from, to }]
  const plain = withPlainContent(args)
  // With several paths it is unknown which one is the file.
  const calls = names.paths.flatMap(
    (key) => findFileCall('by shape', plain, { ...names, paths: [key] }) ?? [],
  )
  const patched = patchesIn(args)
  if (calls.length > 0 || patched.length > 0) return [...patched, ...calls]
  const inside = wrapperNames.flatMap((key) => (isJsonObject(args[key]) ? [args[key]] : []))
  return [
    ...listsIn(name, args, depth),
    ...mapsIn(args),
    ...removedIn(name, args),
    ...inside.flatMap((one) => findWritesByShape(name, one, depth + 1)),
  ]
}

/** Joins lists of lines and decodes encoded content. */
function withPlainContent(args: JsonObject): JsonObject {
  const lines = args['lines'] ?? args['content']
  if (Array.isArray(lines) && lines.every((line) => typeof line === 'string'))
    return { ...args, content: lines.join('\n') }
  const isEncoded = /^base-?64$/i.test(findText(args, ['encoding', 'format']) ?? '')
  const encoded = findText(args, encodedNames) ?? (isEncoded ? findText(args, names.contents) : undefined)
  if (encoded === undefined) return args
  const others = Object.entries(args).filter(([key]) => !names.contents.includes(key))
  return { ...Object.fromEntries(others), content: Buffer.from(encoded, 'base64').toString('utf8') }
}

/** `{path, diff}` and `{patch}` */
function patchesIn(args: JsonObject): ShapedWrite[] {
  const patch = findText(args, patchNames)
  if (!patch) return []
  if (patch.trimStart().startsWith('*** Begin Patch')) return [{ kind: 'patch', patch }]
  const why = 'a patch changes it'
  const own = findText(args, names.paths)
  const named = [...patch.matchAll(/^(?:\+\+\+|---) (?:[ab]\/)?([^\t\r\n]+)/gm)].map(([, path = '']) => path)
  const paths = new Set([...(own ? [own] : []), ...named.filter((path) => path !== '/dev/null')])
  return [...paths].map((path) => ({ kind: 'changed', path, why }))
}

/** `{files: {'a.ts': 'text'}}` */
function mapsIn(args: JsonObject): ShapedWrite[] {
  return listNames.flatMap((key) => {
    const map = args[key]
    if (!isJsonObject(map)) return []
    return Object.entries(map).flatMap(([path, value]): ShapedWrite[] => {
      const content = isJsonObject(value) ? findText(value, names.contents) : value
      return typeof content === 'string' && path !== ''
        ? [{ kind: 'write', tool: 'by shape', path, content }]
        : []
    })
  })
}

/** `{files: [{path, content}]}`. */
function listsIn(name: string, args: JsonObject, depth: number): ShapedWrite[] {
  return Object.values(args)
    .filter((value) => Array.isArray(value))
    .flatMap((list) => list.filter(isJsonObject).flatMap((one) => findWritesByShape(name, one, depth + 1)))
}

/** `{path: 'a'}` or `{paths: ['a', 'b']}`. */
function removedIn(name: string, args: JsonObject): ShapedWrite[] {
  if (!removes.test(name)) return []
  const paths = [findText(args, names.paths), ...listNames.flatMap((key) => args[key] ?? [])]
  return paths.flatMap((path) => (typeof path === 'string' && path !== '' ? [{ kind: 'delete', path }] : []))
}
