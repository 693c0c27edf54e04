import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openKeptFiles, type Held, type KeptFiles } from './kept-files.ts'
import { noNotes, openMemory, type Memory, type Remembered } from './memory.ts'
import { takeTurns } from './take-turns.ts'

/** A file that a person has to decide about, or a folder whose notes were lost. */
export interface HeldFile {
  readonly path: string
  readonly what: 'changed' | 'new' | 'removed' | 'lost notes'
  readonly now: Held | undefined
  /** The text before and after, empty if there is no file; undefined if one of them is not text. */
  readonly texts: { readonly before: string; readonly after: string } | undefined
}

/** Whether any file of this territory is held. */
export function isAnythingHeld(folder: string): boolean {
  const notes = existsSync(folder) ? openMemory(folder).readNotes() : undefined
  return notes !== undefined && (notes.isLost || Object.keys(notes.broken).length > 0)
}

export function listHeld(folder: string): HeldFile[] {
  if (!isAnythingHeld(folder)) return []
  const memory = openMemory(folder)
  const { isLost, broken } = memory.readNotes() ?? noNotes
  const [known, kept] = [tryRead(memory)?.files(), keptIn(folder)]
  const files = Object.keys(broken).map((path): HeldFile => {
    const [old, now] = [known?.get(path), kept.take(path)]
    const [before, after] = [textOf(old, kept), textOf(now, kept)]
    const texts = before === undefined || after === undefined ? undefined : { before, after }
    return { path, what: now ? (old ? 'changed' : 'new') : 'removed', now, texts }
  })
  const lost = { path: folder, what: 'lost notes', now: undefined, texts: undefined } as const
  return [...(isLost ? [lost] : []), ...files]
}

function textOf(held: Held | undefined, kept: KeptFiles): string | undefined {
  if (!held) return ''
  const bytes = kept.read(held)
  return bytes && isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : undefined
}

/** Accepts these files as listed. Returns those that have changed since and stay held. */
export async function acceptChanges(folder: string, listed: readonly HeldFile[]): Promise<HeldFile[]> {
  return takeTurns(dirname(folder), async () => {
    const memory = openMemory(folder)
    const [known, notes = noNotes] = [memory.read(), memory.readNotes()]
    if (!known) return []
    const kept = keptIn(folder)
    const files = known.files()
    const broken = { ...notes.broken }
    const others: HeldFile[] = []
    for (const one of listed.filter(({ path }) => path in broken)) {
      const { path } = one
      const held = kept.take(path)
      if (held?.hash !== one.now?.hash) {
        others.push(one)
        continue
      }
      delete broken[path]
      if (held) files.set(path, held)
      else files.delete(path)
    }
    memory.write({ ...known, files, doubts: new Set(Object.keys(notes.broken)) })
    const isLost = notes.isLost && !listed.some(({ what }) => what === 'lost notes')
    memory.writeNotes({ ...notes, broken, isLost })
    return others
  })
}

function keptIn(folder: string): ReturnType<typeof openKeptFiles> {
  return openKeptFiles(join(folder, 'contents'))
}

function tryRead(memory: Memory): Remembered | undefined {
  try {
    return memory.read()
  } catch {
    return undefined
  }
}
