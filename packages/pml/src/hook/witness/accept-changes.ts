import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openKeptFiles, type Held } from './kept-files.ts'
import { noNotes, openMemory, type Memory, type Remembered } from './memory.ts'
import { takeTurns } from './take-turns.ts'

/** What a person has something to say about: a file as it is now, or the folder of notes that were lost. */
export interface HeldFile {
  readonly path: string
  readonly what: 'changed' | 'new' | 'removed' | 'lost notes'
  readonly now: Held | undefined
}

/** Whether anything of a project, of pml or of the home is held. */
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
    const now = kept.take(path)
    return { path, what: now ? (known?.has(path) ? 'changed' : 'new') : 'removed', now }
  })
  return [...(isLost ? [{ path: folder, what: 'lost notes', now: undefined } as const] : []), ...files]
}

/** These are good as they were listed. Gives those that are not like that any more, and stay held. */
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
