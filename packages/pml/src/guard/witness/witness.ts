import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { HookEvent } from '@pml/hooks'
import { findChanges, type Change, type Compared } from './find-changes.ts'
import { openKeptFiles, type Held, type KeptFiles } from './kept-files.ts'
import { noNotes, openMemory, type Allowed, type Memory, type Notes, type Remembered } from './memory.ts'
import { sessionOf } from './sessions.ts'
import {
  guardFinding,
  isPolicy,
  settleAll,
  settlePml,
  type Broken,
  type Purpose,
  type SettledChanges,
  type Witnessing,
} from './settle-changes.ts'
import { isUntouched, survey, type Surveyed } from './survey.ts'
import type { Territory } from './territories.ts'

interface Looked {
  /** Messages for the agent, one per file. */
  readonly texts: readonly string[]
  /** Held files, with the hash of their content before. */
  readonly broken: readonly Broken[]
  /** A policy was restored, so the changes were judged by the wrong rules. */
  readonly isPolicyBack: boolean
  /** False if there are too many files. */
  readonly isWhole: boolean
}

const ALLOWED_MS = 600_000
const MOST_ALLOWED = 64
const MOST_SESSIONS = 200

/** Surveys a territory, judges its changes, and restores or holds them. The caller has the lock. */
export async function lookAt(
  territory: Territory,
  witnessing: Witnessing,
  purpose: Purpose,
): Promise<Looked> {
  const { event, place } = witnessing
  const memory = openMemory(territory.folder)
  const kept = openKeptFiles(join(territory.folder, 'contents'))
  const { known, notes, isLost } = recall(memory, { event, purpose })
  if (isLost && !notes.isLost) tellLost(witnessing, territory)
  const lost = isLost ? [lostText(territory)] : []
  const note = (found: Pick<Afterwards, 'broken' | 'changes'>) =>
    writeNew(memory, notes, notesAfter(notes, { event, purpose, now: place.now(), isLost, ...found }))
  if (!known) {
    const { isWhole } = rememberAll(territory, { memory, kept, now: place.now() })
    note({ broken: {}, changes: [] })
    return { texts: lost, broken: [], isPolicyBack: false, isWhole }
  }
  const looked = compare(territory, { known, kept, now: place.now() })
  const { changes } = looked
  const settling = { witnessing, purpose, notes, kept, changes }
  const settled = territory.pml ? settlePml(territory.pml, settling) : await settleAll(settling)
  if (looked.now) remember(memory, { ...looked, now: looked.now, known, settled, scope: territory.scope })
  if (purpose.kind === 'start') kept.sweep(hashesIn(memory.read()))
  const { held, broken, isPolicyBack } = settled
  const hashes = Object.fromEntries(held.map(({ path, after }) => [path, after?.hash ?? '']))
  if (!isPolicyBack) note({ broken: hashes, changes })
  return { texts: [...lost, ...settled.texts], broken, isPolicyBack, isWhole: looked.isWhole }
}

interface Comparing {
  readonly known: Remembered
  readonly kept: KeptFiles
  readonly now: number
}

interface LookedAt extends Compared {
  /** All changes, also those that do not matter after a change of rules. */
  readonly all: readonly Change[]
  /** Undefined if there is nothing new to remember. */
  readonly now: Surveyed | undefined
  readonly isWhole: boolean
}

function compare(territory: Territory, { known, kept, now: at }: Comparing): LookedAt {
  const isSameScope = known.scope === territory.scope
  const { isWhole } = known.survey
  if (isSameScope && !known.hasOthers && isUntouched(known.survey, territory.starts))
    return { changes: [], all: [], files: undefined, now: undefined, isWhole }
  const now = survey({ ...territory, known: isSameScope ? known.survey : undefined, now: at })
  const { changes, files } = findChanges(known, now, kept)
  // After a change of rules, files that were not protected before are accepted as they are.
  const meant = changes.filter(({ path, before }) => isSameScope || before || territory.isGuard(path))
  const isNew = files !== undefined || !isSameScope
  return { changes: meant, all: changes, files, now: isNew ? now : undefined, isWhole: now.isWhole }
}

interface Remembering extends LookedAt {
  readonly now: Surveyed
  readonly known: Remembered
  readonly settled: SettledChanges
  readonly scope: string
}

/** Remembers the new state. Restored, held and unjudged files are remembered in their old state. */
function remember(memory: Memory, { now, files, all, known, settled, scope }: Remembering): void {
  const { undone, held, isPolicyBack } = settled
  const good = new Map(files ?? known.files())
  const unsettled = [...undone, ...held, ...(isPolicyBack ? all.filter((one) => !isPolicy(one)) : [])]
  for (const { path, before } of unsettled)
    if (before) good.set(path, before)
    else good.delete(path)
  memory.write({
    scope: isPolicyBack ? known.scope : scope,
    survey: now,
    files: good,
    doubts: new Set(unsettled.map(({ path }) => path)),
  })
}

function rememberAll(
  territory: Territory,
  { memory, kept, now }: { memory: Memory; kept: KeptFiles; now: number },
): Surveyed {
  const found = survey({ ...territory, known: undefined, now })
  mkdirSync(territory.folder, { recursive: true, mode: 0o700 })
  const files = takeAll(found, kept)
  memory.write({ scope: territory.scope, survey: found, files, doubts: new Set() })
  return found
}

/** Writes the notes only if they have changed. */
function writeNew(memory: Memory, before: Notes, notes: Notes): void {
  if (JSON.stringify(notes) !== JSON.stringify(before)) memory.writeNotes(notes)
}

interface Recalled {
  readonly known: Remembered | undefined
  readonly notes: Notes
  readonly isLost: boolean
}

/** Reads the memory, and detects its loss: a call that may write anything can remove it. */
function recall(memory: Memory, { event, purpose }: { event: HookEvent; purpose: Purpose }): Recalled {
  const notes = memory.readNotes() ?? noNotes
  const hasLooked = notes.sessions.includes(sessionOf(event))
  const isMissed = purpose.kind === 'after' && purpose.wasLookedAt && !hasLooked
  try {
    const known = memory.read()
    return { known, notes, isLost: notes.isLost || isMissed || (hasLooked && !known) }
  } catch {
    return { known: undefined, notes, isLost: true }
  }
}

function hashesIn(known: Remembered | undefined): Set<string> {
  return new Set([...(known?.files().values() ?? [])].map(({ hash }) => hash))
}

function takeAll({ suspects }: Surveyed, kept: KeptFiles): Map<string, Held> {
  return new Map(
    suspects.flatMap((path) => {
      const held = kept.take(path)
      return held ? [[path, held] as const] : []
    }),
  )
}

function lostText({ folder }: Territory): string {
  return [
    'BLOCKED::GUARD_CHANGED',
    'ACTION::tell the person what the last calls did, and ask them to look at the project',
    '',
    `The notes that pml keeps in ${folder} were removed or damaged during a call, so its changes are unknown.`,
    'Every further write is refused until a person runs "pml hooks accept".',
    '',
  ].join('\n')
}

function tellLost({ tell }: Witnessing, { folder }: Territory): void {
  const reason = `The notes in ${folder} were removed or damaged during a call`
  tell(guardFinding(folder, reason), `Held: ${reason}`)
}

/** Whether there is an earlier survey. */
export function hasLookedAt(folder: string): boolean {
  return openMemory(folder).readNotes() !== undefined
}

export function noteAllowed(folder: string, allowed: Allowed): void {
  const memory = openMemory(folder)
  const notes = memory.readNotes()
  if (notes) memory.writeNotes({ ...notes, allowed: [...notes.allowed, allowed].slice(-MOST_ALLOWED) })
}

interface Afterwards {
  readonly event: HookEvent
  readonly purpose: Purpose
  readonly broken: Notes['broken']
  readonly now: number
  /** Changes that use up their approvals. */
  readonly changes: readonly Change[]
  readonly isLost: boolean
}

function notesAfter(notes: Notes, { event, purpose, broken, now, changes, isLost }: Afterwards): Notes {
  const session = sessionOf(event)
  const left = notes.allowed.filter(({ path }) => !changes.some((change) => change.path === path))
  const allowed = purpose.kind === 'before' ? [...left, ...purpose.allowed] : left
  const { sessions } = notes
  return {
    allowed: allowed.filter(({ at }) => Math.abs(now - at) < ALLOWED_MS).slice(-MOST_ALLOWED),
    broken,
    sessions: sessions.includes(session) ? sessions : [...sessions, session].slice(-MOST_SESSIONS),
    isLost,
  }
}
