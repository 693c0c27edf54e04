import type { EditCall, HookEvent, NotebookCall, PatchCall, WriteCall } from './event.ts'
import type { ShellFacts, ShellWrite } from './shell/words/facts.ts'
import type { FileContent, World } from './world.ts'
import { applyEdits } from './writes/writer.ts'
import { applyHunks } from './writes/apply-hunks.ts'
import { parsePatch, type FilePatch, type Hunk } from './writes/parse-patch.ts'
import { pathsOf } from './writes/paths-of.ts'
import { findWritesByShape, type ShapedWrite } from './writes/writes-by-shape.ts'
import type { After, Write } from './writes/write.ts'
import type { Writer } from './writes/writer.ts'
import { writerOf } from './writers.ts'

interface Place {
  readonly cwd: string
  readonly world: World
}

/** Returns every file that the call would change, with its new content. */
export function writesOf(
  { call, cwd }: Pick<HookEvent, 'call' | 'cwd'>,
  world: World,
  shell: ShellFacts | undefined,
): Write[] {
  const place = { cwd, world }
  switch (call?.kind) {
    case undefined:
      return []
    case 'write':
      return [wholeOf(place, call)]
    case 'edit':
      return [editOf(place, call)]
    case 'notebook':
      return [cellOf(place, call)]
    case 'patch':
      return patchOf(place, call)
    case 'shell':
      return commandWrites(place, shell)
    case 'mcp':
      return [
        ...findWritesByShape(call.name, call.args).flatMap((found) => shapedOf(place, found)),
        ...commandWrites(place, shell),
      ]
    case 'other':
      return [
        ...findWritesByShape(call.tool, call.input).flatMap((found) => shapedOf(place, found)),
        ...commandWrites(place, shell),
      ]
    default:
      return unreachable(call)
  }
}

function commandWrites(place: Place, shell: ShellFacts | undefined): Write[] {
  const writes = shell ? [...shell.writes, ...shell.named] : []
  return writes.flatMap((write) => shellWritesOf(place, write))
}

function shapedOf(place: Place, found: ShapedWrite): Write[] {
  switch (found.kind) {
    case 'write':
      return [wholeOf(place, found)]
    case 'edit':
      return [editOf(place, found)]
    case 'notebook':
      return [cellOf(place, found)]
    case 'delete':
      return withFolder(place, writeOf(place, found.path, { kind: 'deleted' }))
    case 'changed':
      return [writeOf(place, found.path, { kind: 'unknown', why: found.why })]
    case 'patch':
      return patchOf(place, { kind: 'patch', tool: 'by shape', patch: found.patch })
    case 'copy': {
      const { from, to } = found
      return shellWritesOf(place, { path: to, written: to, content: { kind: 'copy', from } })
    }
    case 'move': {
      const { from, to } = found
      return [
        shellWriteOf(place, { path: to, written: to, content: { kind: 'move', from } }),
        ...withFolder(place, writeOf(place, from, { kind: 'moved', to: pathsOf(to, place)[0] })),
      ]
    }
    default:
      return unreachable(found)
  }
}

function writeOf(place: Place, named: string, after: After): Write {
  const paths = pathsOf(named, place)
  return { paths, written: named, before: readFirst(place, paths), after, isExact: true }
}

function wholeOf(place: Place, { path, content, writer }: WriteCall): Write {
  const paths = pathsOf(path, place)
  const before = readFirst(place, paths)
  const text = writerOf(writer).write({ before, content, isWindows: isWindows(place) })
  const after: After = { kind: 'text', text: text ?? content }
  return { paths, written: path, before, after, isExact: text !== undefined }
}

/** The whole file is judged if it can be read and the edits fit; else only the removed and added text. */
function editOf(place: Place, call: EditCall): Write {
  const { path, edits } = call
  const paths = pathsOf(path, place)
  const before = readFirst(place, paths)
  const exact = exactEdit(place, before, call)
  const current = before.kind === 'missing' ? '' : before.kind === 'text' ? before.text : undefined
  const text = exact ?? (current === undefined ? undefined : applyEdits(current, edits))
  if (text !== undefined)
    return { paths, written: path, before, after: { kind: 'text', text }, isExact: exact !== undefined }
  return partOf(
    { paths, written: path },
    edits.map((edit) => edit.before).join('\n'),
    edits.map((edit) => edit.after).join('\n'),
  )
}

function exactEdit(place: Place, before: FileContent, { edits, writer }: EditCall): string | undefined {
  const by = writerOf(writer)
  if (before.kind === 'text') return by.edit(before.text, edits)
  const [first, ...others] = edits
  if (before.kind !== 'missing' || first?.before !== '' || others.length > 0) return undefined
  return by.write({ before, content: first.after, isWindows: isWindows(place) })
}

function isWindows({ cwd }: Place): boolean {
  return /^(?:[A-Za-z]:|\\\\)/.test(cwd)
}

function partOf(file: Pick<Write, 'paths' | 'written'>, before: string, after: string): Write {
  return {
    ...file,
    before: { kind: 'text', text: before },
    after: { kind: 'text', text: after },
    isExact: false,
  }
}

/** A notebook is judged by the cell, because the rest of its JSON includes outputs. */
function cellOf(place: Place, { path, cell, source, mode }: NotebookCall): Write {
  const paths = pathsOf(path, place)
  const before = mode === 'insert' ? '' : findCell(readFirst(place, paths), cell)
  return partOf({ paths, written: path }, before, mode === 'delete' ? '' : source)
}

function findCell(file: FileContent, id: string | undefined): string {
  if (file.kind !== 'text') return ''
  try {
    const { cells } = JSON.parse(file.text) as { cells: { id?: string; source: string | string[] }[] }
    const found = cells.find(
      (cell, index) => cell.id === id || id === `cell-${index}` || id === String(index),
    )
    return [found?.source ?? ''].flat().join('')
  } catch {
    return ''
  }
}

/** A patch may name a file again, and then changes its own earlier result. */
function patchOf(place: Place, { patch, writer }: PatchCall): Write[] {
  const made = new Map<string, FileContent>()
  const world = {
    ...place.world,
    readFile: (path: string) => made.get(path) ?? place.world.readFile(path),
  }
  return parsePatch(patch).flatMap((file) => {
    const writes = filePatchOf({ ...place, world }, file, writerOf(writer))
    for (const write of writes) made.set(write.paths.at(-1) ?? '', contentAfter(write))
    return writes
  })
}

function contentAfter({ after, isExact }: Write): FileContent {
  if (after.kind === 'deleted' || after.kind === 'moved') return { kind: 'missing' }
  return after.kind === 'text' && isExact ? after : { kind: 'unknown', isThere: true }
}

function filePatchOf(place: Place, file: FilePatch, writer: Writer): Write[] {
  if (file.kind === 'add') return [writeOf(place, file.path, { kind: 'text', text: file.content })]
  if (file.kind === 'delete') return [writeOf(place, file.path, { kind: 'deleted' })]
  const { path, to, hunks } = file
  const paths = pathsOf(path, place)
  const before = readFirst(place, paths)
  const exact = before.kind === 'text' ? writer.patch(before.text, hunks) : undefined
  const text = exact ?? (before.kind === 'text' ? applyHunks(before.text, hunks) : undefined)
  const target = { paths: to === undefined ? paths : pathsOf(to, place), written: to ?? path }
  const write: Write =
    text === undefined
      ? partOf(target, sideOf(hunks, '-'), sideOf(hunks, '+'))
      : { ...target, before, after: { kind: 'text', text }, isExact: exact !== undefined }
  if (to === undefined) return [write]
  return [
    { paths, written: path, before, after: { kind: 'moved', to: target.paths[0] }, isExact: true },
    write,
  ]
}

/** The lines before the changes (-) or after them (+). */
function sideOf(hunks: readonly Hunk[], side: '-' | '+'): string {
  return hunks
    .flatMap(({ lines }) => lines.filter(({ sign }) => sign === ' ' || sign === side).map(({ text }) => text))
    .join('\n')
}

/** A path with a pattern: its current matches, and a file that could be created. */
function shellWritesOf(place: Place, write: ShellWrite): Write[] {
  const { pattern, written, content } = write
  if (pattern === undefined)
    return [...withFolder(place, shellWriteOf(place, write)), ...copiedBelow(place, write)]
  const there = place.world
    .expand(pattern)
    .flatMap((path) => withFolder(place, shellWriteOf(place, { ...write, path })))
  if (content.kind === 'deleted' || content.kind === 'moved') return there
  const likely = likelyWrite(place, { ...write, pattern })
  // An unknown name is more likely a new file than any existing one.
  const isAnyName = /(?:^|\/)\*+$/.test(pattern) && !/(?:^|\/)[*?]+$/.test(written)
  return isAnyName ? [likely] : [likely, ...there]
}

function likelyWrite(place: Place, write: ShellWrite & { readonly pattern: string }): Write {
  const { pattern, written } = write
  const fill = (text: string) => text.replaceAll(/\*+/g, '-')
  // An unknown extension can be any, or none.
  const bare = pattern.replace(/\.[^./]*\*[^./]*$/, '*')
  const { after } = shellWriteOf(place, { ...write, path: fill(pattern) })
  const isNamed = bare === pattern && !pattern.endsWith('*')
  return {
    paths: [...new Set([fill(bare), fill(pattern)])].flatMap((path) => pathsOf(path, place)),
    written,
    before: { kind: 'missing' },
    after: isNamed ? after : { kind: 'unknown', why: `what ${written} stands for is only known then` },
    isExact: true,
  }
}

/** A copied folder contains copies of its files. */
function copiedBelow(place: Place, { path, written, content }: ShellWrite): Write[] {
  if (path === undefined || (content.kind !== 'copy' && content.kind !== 'move')) return []
  const { from } = content
  if (readFirst(place, pathsOf(from, place)).kind !== 'folder') return []
  return place.world
    .expand(`${from}/**`)
    .filter((file) => file !== from)
    .map((file) => {
      const to = path + file.slice(from.length)
      return shellWriteOf(place, { path: to, written, content: { kind: 'copy', from: file } })
    })
    .filter(({ after }) => after.kind === 'text')
}

/** The files in a folder are changed with it. */
function withFolder(place: Place, write: Write): Write[] {
  const { before, after, paths } = write
  const folder = paths.at(-1)
  if (before.kind !== 'folder' || folder === undefined) return [write]
  if (after.kind !== 'deleted' && after.kind !== 'moved') return [write]
  const files = place.world.expand(`${folder}/**`).map((path) => {
    const to =
      after.kind === 'moved' && after.to !== undefined ? after.to + path.slice(folder.length) : undefined
    return writeOf(place, path, after.kind === 'moved' ? { kind: 'moved', to } : after)
  })
  return [write, ...files]
}

function shellWriteOf(place: Place, { path, written, content }: ShellWrite): Write {
  const paths = path === undefined ? [] : pathsOf(path, place, written)
  const before = readFirst(place, paths)
  const file = { paths, written, isExact: true }
  switch (content.kind) {
    case 'text':
    case 'deleted':
    case 'moved':
    case 'unknown':
      return { ...file, before, after: content }
    case 'append':
      return { ...file, before, after: appended(before, content.text) }
    case 'copy':
    case 'move': {
      const from = readFirst(place, pathsOf(content.from, place))
      const after: After =
        from.kind === 'text' ? from : { kind: 'unknown', why: `what ${content.from} holds cannot be read` }
      return { ...file, before: content.kind === 'move' && before.kind === 'missing' ? from : before, after }
    }
    default:
      return unreachable(content)
  }
}

function appended(before: FileContent, text: string): After {
  if (before.kind === 'unknown' || before.kind === 'folder')
    return { kind: 'unknown', why: 'it is added to what cannot be read' }
  return { kind: 'text', text: before.kind === 'text' ? before.text + text : text }
}

/** Programs write the file behind the links. If programs may resolve a name differently, the file is unknown. */
function readFirst({ world }: Place, paths: readonly string[]): FileContent {
  const [first, ...others] = paths.map((path) => world.readFile(path))
  if (first === undefined) return { kind: 'unknown' }
  const text = JSON.stringify(first)
  return others.every((other) => JSON.stringify(other) === text) ? first : { kind: 'unknown', isThere: true }
}

function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
