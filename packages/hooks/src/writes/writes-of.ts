import type { EditCall, HookEvent, NotebookCall, PatchCall } from '../event.ts'
import type { ShellFacts, ShellWrite } from '../shell/facts.ts'
import type { FileContent, World } from '../world.ts'
import { applyEdits } from './apply-edits.ts'
import { applyHunks, parsePatch, type FilePatch } from './parse-patch.ts'
import { pathsOf } from './paths-of.ts'
import { findWritesByShape, type ShapedWrite } from './writes-by-shape.ts'
import type { After, Write } from './write.ts'

export interface Place {
  readonly cwd: string
  readonly world: World
}

/** Every file that the call would change, with what it would become. */
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
      return [writeOf(place, call.path, { kind: 'text', text: call.content })]
    case 'edit':
      return [editOf(place, call)]
    case 'notebook':
      return [cellOf(place, call)]
    case 'patch':
      return patchOf(place, call)
    case 'shell':
      return (shell?.writes ?? []).flatMap((write) => shellWritesOf(place, write))
    case 'mcp':
      return findWritesByShape(call.name, call.args).flatMap((found) => shapedOf(place, found))
    case 'other':
      return findWritesByShape(call.tool, call.input).flatMap((found) => shapedOf(place, found))
    default:
      return unreachable(call)
  }
}

function shapedOf(place: Place, found: ShapedWrite): Write[] {
  switch (found.kind) {
    case 'write':
      return [writeOf(place, found.path, { kind: 'text', text: found.content })]
    case 'edit':
      return [editOf(place, found)]
    case 'notebook':
      return [cellOf(place, found)]
    case 'delete':
      return withFolder(place, writeOf(place, found.path, { kind: 'deleted' }))
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
  return { paths, written: named, before: readFirst(place, paths), after, isPart: false }
}

/** The whole file is judged, where it can be read and the edits fit; else what they take out and put in. */
function editOf(place: Place, { path, edits }: EditCall): Write {
  const paths = pathsOf(path, place)
  const before = readFirst(place, paths)
  const current = before.kind === 'missing' ? '' : before.kind === 'text' ? before.text : undefined
  const text = current === undefined ? undefined : applyEdits(current, edits)
  if (text !== undefined)
    return { paths, written: path, before, after: { kind: 'text', text }, isPart: false }
  return partOf(
    { paths, written: path },
    edits.map((edit) => edit.before).join('\n'),
    edits.map((edit) => edit.after).join('\n'),
  )
}

function partOf(file: Pick<Write, 'paths' | 'written'>, before: string, after: string): Write {
  return {
    ...file,
    before: { kind: 'text', text: before },
    after: { kind: 'text', text: after },
    isPart: true,
  }
}

/** A notebook is judged by the cell: the rest of it is JSON that holds outputs, too. */
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

function patchOf(place: Place, { patch }: PatchCall): Write[] {
  return parsePatch(patch).flatMap((file) => filePatchOf(place, file))
}

function filePatchOf(place: Place, file: FilePatch): Write[] {
  if (file.kind === 'add') return [writeOf(place, file.path, { kind: 'text', text: file.content })]
  if (file.kind === 'delete') return [writeOf(place, file.path, { kind: 'deleted' })]
  const { path, to, hunks } = file
  const paths = pathsOf(path, place)
  const before = readFirst(place, paths)
  const text = before.kind === 'text' ? applyHunks(before.text, hunks) : undefined
  const target = { paths: to === undefined ? paths : pathsOf(to, place), written: to ?? path }
  const [taken, put] = [hunks.flatMap((hunk) => hunk.before), hunks.flatMap((hunk) => hunk.after)]
  const write: Write =
    text === undefined
      ? partOf(target, taken.join('\n'), put.join('\n'))
      : { ...target, before, after: { kind: 'text', text }, isPart: false }
  if (to === undefined) return [write]
  return [
    { paths, written: path, before, after: { kind: 'moved', to: target.paths[0] }, isPart: false },
    write,
  ]
}

/** Where the path is a pattern: what it stands for now, and a file that it may come to stand for. */
function shellWritesOf(place: Place, write: ShellWrite): Write[] {
  const { pattern, written, content } = write
  if (pattern === undefined) return withFolder(place, shellWriteOf(place, write))
  const there = place.world
    .expand(pattern)
    .flatMap((path) => withFolder(place, shellWriteOf(place, { ...write, path })))
  if (content.kind === 'deleted' || content.kind === 'moved') return there
  const likely = likelyWrite(place, { ...write, pattern })
  // A name of which nothing is known is more likely a new one than each that is there.
  const isAnyName = /(?:^|\/)\*+$/.test(pattern) && !/(?:^|\/)[*?]+$/.test(written)
  return isAnyName ? [likely] : [likely, ...there]
}

function likelyWrite(place: Place, write: ShellWrite & { readonly pattern: string }): Write {
  const { pattern, written } = write
  const fill = (text: string) => text.replaceAll(/\*+/g, '-')
  // An extension that is not known may be any, and none.
  const bare = pattern.replace(/\.[^./]*\*[^./]*$/, '*')
  const { after } = shellWriteOf(place, { ...write, path: fill(pattern) })
  const isNamed = bare === pattern && !pattern.endsWith('*')
  return {
    paths: [...new Set([fill(bare), fill(pattern)])].flatMap((path) => pathsOf(path, place)),
    written,
    before: { kind: 'missing' },
    after: isNamed ? after : { kind: 'unknown', why: `what ${written} stands for is only known then` },
    isPart: false,
  }
}

/** What goes with a folder are the files in it. */
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
  const paths = path === undefined ? [] : pathsOf(path, place)
  const before = readFirst(place, paths)
  const file = { paths, written, isPart: false }
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

/** The file behind the links is the one that is written. */
function readFirst({ world }: Place, paths: readonly string[]): FileContent {
  const real = paths.at(-1)
  return real === undefined ? { kind: 'unknown' } : world.readFile(real)
}

function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
