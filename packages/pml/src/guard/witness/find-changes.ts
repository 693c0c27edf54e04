import type { Held, KeptFiles } from './kept-files.ts'
import type { Remembered } from './memory.ts'
import { insideOf, type Surveyed } from './survey.ts'

/** A change of a protected file. */
export interface Change {
  readonly path: string
  readonly before: Held | undefined
  readonly after: Held | undefined
}

export interface Compared {
  readonly changes: readonly Change[]
  /** All current files with their changes; undefined if there is nothing new to remember. */
  readonly files: ReadonlyMap<string, Held> | undefined
}

/** Compares files with the last survey. Reads only files whose metadata has changed. */
export function findChanges(known: Remembered, now: Surveyed, kept: KeptFiles): Compared {
  const { suspects, isSameListing } = now
  if (suspects.length === 0 && isSameListing && !known.hasOthers) return { changes: [], files: undefined }
  const files = known.files()
  const changes: Change[] = []
  let isNew = !isSameListing
  const look = (path: string) => {
    const [before, after] = [files.get(path), kept.take(path)]
    if (after) files.set(path, after)
    else files.delete(path)
    if (!isEqual(before, after)) changes.push({ path, before, after })
    // Links are checked every time, so there is nothing to remember.
    isNew ||= after?.link === undefined
  }
  const others = isSameListing && !known.hasOthers ? [] : withoutSurveyed(files.keys(), now)
  for (const path of [...suspects, ...others]) look(path)
  return { changes, files: isNew || changes.length > 0 ? files : undefined }
}

/** Files that are gone, did not fit into the survey, or are no longer in scope. */
function withoutSurveyed(paths: Iterable<string>, { folders }: Surveyed): string[] {
  const left = new Set(paths)
  for (const { path, files } of folders) for (const name of files) left.delete(`${insideOf(path)}${name}`)
  return [...left]
}

export function isEqual(one: Held | undefined, other: Held | undefined): boolean {
  return one?.hash === other?.hash && one?.link === other?.link
}
