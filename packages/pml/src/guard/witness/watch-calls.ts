import { join } from 'node:path'
import { writesOf, type Guarded, type Outcome, type WantedApproval } from '@pml/hooks'
import { sha256 } from '../../machine/files/sha256.ts'
import type { HookPlace } from '../world/hook-place.ts'
import { saveContent, type Keeper } from '../world/save-content.ts'
import { isAnythingHeld } from './accept-changes.ts'
import { isEqual } from './find-changes.ts'
import { openKeptFiles } from './kept-files.ts'
import { mayWriteUnseen, wasWatched, onlyLooks } from './may-write-unseen.ts'
import { openMemory, type Allowed, type Memory, type Remembered } from './memory.ts'
import { putBack } from './put-back.ts'
import {
  openSessions,
  sessionOf,
  withoutCall,
  type OpenCall,
  type Session,
  type Sessions,
} from './sessions.ts'
import { takeTurns } from './take-turns.ts'
import { foldersOf, HOME, realOf, territoriesOf, territoryFolder, type Territory } from './territories.ts'
import type { Broken, Purpose, Witnessing } from './settle-changes.ts'
import { insideOf } from './survey.ts'
import { hasLookedAt, lookAt, noteAllowed } from './witness.ts'

export interface Watching extends Omit<Witnessing, 'open'> {
  readPolicies(): Promise<Guarded[]>
}

/** How often a territory is surveyed again after its policy was restored. */
const MOST_LOOKS = 3
const MOST_TOLD = 5
const MOST_LISTED = 20
const LONGEST_COMMAND = 2000

/** Before a permitted call: surveys protected files, and blocks the call if a file is held. */
export async function watchBefore(watching: Watching, approved: readonly Approved[]): Promise<Outcome> {
  const opens = mayWriteUnseen(watching.event)
  if (!opens && !isHeldAnywhere(watching)) {
    await noteApproved(watching, approved)
    return { kind: 'pass' }
  }
  const isKnownWrite = !opens && writesOf(watching.event, watching.world, undefined).length > 0
  if (!opens && !isKnownWrite) return { kind: 'pass' }
  const mayGoOn = async (looked: LookedEverywhere) =>
    looked.texts.length === 0 ||
    (isKnownWrite ? putsBack(watching, looked) : onlyLooks(watching.event, watching.place.home))
  const next: NextCalls = async (open, looked) =>
    opens && (await mayGoOn(looked)) ? [...open, callOf(watching)] : open
  const allowed = approved.map((one) => allowedBy(watching, one))
  const looked = await lookEverywhere(watching, () => ({ kind: 'before', allowed }), next)
  return (await mayGoOn(looked)) ? { kind: 'pass' } : outcomeOf(looked)
}

/** A write that was approved. */
export type Approved = Pick<WantedApproval, 'root' | 'path' | 'content'>

/** Notes approved writes for the next survey, if there is an earlier survey to compare with. */
async function noteApproved(watching: Watching, approved: readonly Approved[]): Promise<void> {
  if (approved.length === 0) return
  const { guarded, place } = watching
  const roots = guarded.map(({ root }) => realOf(root))
  const folderOf = (path: string) =>
    territoryFolder(roots.find((root) => path.startsWith(insideOf(root))) ?? HOME, place)
  const known = approved.filter((one) => hasLookedAt(folderOf(pathOf(one))))
  if (known.length === 0) return
  await takeTurns(join(place.state, 'witness'), async () => {
    for (const one of known) noteAllowed(folderOf(pathOf(one)), allowedBy(watching, one))
  })
}

function isHeldAnywhere({ guarded, place }: Watching): boolean {
  const roots = guarded.map(({ root }) => realOf(root))
  return foldersOf(roots, place).some(isAnythingHeld)
}

/** After a call: judges what it changed. */
export async function watchAfter(watching: Watching): Promise<Outcome> {
  const isWatched = wasWatched(watching.event)
  // Some folders are first known from the event after the call.
  const purposeOf = (territory: Territory, before: Session | undefined): Purpose => ({
    kind: 'after',
    wasLookedAt: isWatched && (before === undefined || territory.isExpected(before.roots)),
  })
  return outcomeOf(await lookEverywhere(watching, purposeOf, (open) => withoutCall(open, watching.event)))
}

/** At the start of a session: reports changes since the last one. Nothing can be refused at this event. */
export async function watchStart(watching: Watching): Promise<string> {
  const { texts, unfinished } = await lookEverywhere(
    watching,
    () => ({ kind: 'start' }),
    (open) => open,
  )
  const limits = unfinished.map(
    (name) => `pml cannot watch all of ${name}: there are too many protected files.`,
  )
  return [...shorten(texts), ...limits].join('\n')
}

function outcomeOf({ texts }: LookedEverywhere): Outcome {
  return texts.length === 0 ? { kind: 'pass' } : { kind: 'block', text: shorten(texts).join('\n') }
}

/** The full text for the first files, and only the names of the others. */
function shorten(texts: readonly string[]): string[] {
  if (texts.length <= MOST_TOLD) return [...texts]
  const subjects = texts
    .slice(MOST_TOLD)
    .map((text) => /^(?:Cannot|The) .+?(?=: |\.$)/m.exec(text)?.[0] ?? '')
  const listed = subjects.slice(0, MOST_LISTED)
  const rest = subjects.length - listed.length
  return [
    ...texts.slice(0, MOST_TOLD),
    ['The same holds for:', ...listed, ...(rest > 0 ? [`and ${rest} more`] : []), ''].join('\n'),
  ]
}

interface LookedEverywhere {
  readonly texts: readonly string[]
  readonly broken: readonly Broken[]
  /** Names of territories with too many files. */
  readonly unfinished: readonly string[]
}

type OpenCalls = readonly OpenCall[]

/** Computes the open calls after the survey. */
type NextCalls = (open: OpenCalls, looked: LookedEverywhere) => OpenCalls | Promise<OpenCalls>

function callOf({ event: { call, callId }, place }: Watching): OpenCall {
  const command = call?.kind === 'shell' ? call.command.slice(0, LONGEST_COMMAND) : ''
  return { id: callId, tool: call?.tool ?? '', command, at: place.now() }
}

function lookEverywhere(
  watching: Watching,
  purposeOf: (territory: Territory, before: Session | undefined) => Purpose,
  nextCalls: NextCalls,
): Promise<LookedEverywhere> {
  const { event, place } = watching
  const folder = join(place.state, 'witness')
  return takeTurns(folder, async () => {
    const sessions = openSessions(folder, { name: sessionOf(event), now: place.now() })
    const { known } = sessions
    const roots = rootsIn(watching.guarded, known)
    const looked = await lookAtAll(watching, { sessions, roots, purposeOf })
    sessions.write({ roots, open: await nextCalls(known?.open ?? [], looked) })
    return looked
  })
}

interface LookingEverywhere {
  readonly sessions: Sessions
  readonly roots: readonly string[]
  purposeOf(territory: Territory, before: Session | undefined): Purpose
}

async function lookAtAll(
  watching: Watching,
  { sessions, roots, purposeOf }: LookingEverywhere,
): Promise<LookedEverywhere> {
  const [texts, broken, unfinished]: [string[], Broken[], string[]] = [[], [], []]
  let { guarded } = watching
  let territories = territoriesOf(guarded, roots, watching.place)
  for (const { folder } of territories) {
    for (let looks = 1; looks <= MOST_LOOKS; looks++) {
      const territory = territories.find((one) => one.folder === folder)
      if (!territory) break
      const open = sessions.openIn(({ roots: ofSession }) => territory.isSeenFrom(ofSession))
      const looking = { ...watching, guarded, open }
      const looked = await lookAt(territory, looking, purposeOf(territory, sessions.known))
      texts.push(...looked.texts)
      broken.push(...looked.broken)
      if (!looked.isWhole) unfinished.push(territory.name)
      if (!looked.isPolicyBack) break
      guarded = await watching.readPolicies()
      territories = territoriesOf(guarded, rootsIn(guarded, { roots }), watching.place)
    }
  }
  return { texts, broken, unfinished }
}

function rootsIn(guarded: readonly Guarded[], known: Pick<Session, 'roots'> | undefined): string[] {
  return [...new Set([...(known?.roots ?? []), ...guarded.map(({ root }) => realOf(root))])]
}

/** Whether a write restores a held file: that is how an agent undoes a change. */
function putsBack({ event, world }: Watching, { broken }: LookedEverywhere): boolean {
  const writes = writesOf(event, world, undefined)
  return (
    writes.length > 0 &&
    writes.every(({ paths, after, isExact }) =>
      broken.some(
        ({ path, before }) =>
          paths.includes(path) &&
          (after.kind === 'deleted'
            ? before === undefined
            : isExact && after.kind === 'text' && sha256(after.text) === before),
      ),
    )
  )
}

/**
 * Restores a policy that a call made unreadable, because an unreadable policy blocks everything. Returns a message, or
 * undefined if no call changed it.
 */
export async function putPolicyBack(
  root: string,
  { place, keeper }: { place: HookPlace; keeper: Keeper },
): Promise<string | undefined> {
  const real = realOf(root)
  const folder = territoryFolder(real, place)
  const all = join(place.state, 'witness')
  return takeTurns(all, async () => {
    const known = tryRead(openMemory(folder))
    const sessions = openSessions(all, { name: '', now: place.now() })
    if (!known || sessions.openIn(({ roots }) => roots.includes(real)).length === 0) return undefined
    const kept = openKeptFiles(join(folder, 'contents'))
    const path = join(real, '.pml', 'enforcement.json')
    const change = { path, before: known.files().get(path), after: kept.take(path) }
    if (isEqual(change.before, change.after)) return undefined
    const bytes = change.after && kept.read(change.after)
    const saved = bytes && saveContent({ path, content: bytes }, keeper)
    if (!putBack(change, kept)) return undefined
    return [
      'BLOCKED::GUARD_CHANGED',
      ...(saved === undefined ? [] : [`SAVED::${saved}`]),
      'ACTION::leave the policy alone, or ask the person to change it',
      '',
      `The call made ${path} unreadable, so it was restored.`,
      '',
    ].join('\n')
  })
}

function tryRead(memory: Memory): Remembered | undefined {
  try {
    return memory.read()
  } catch {
    return undefined
  }
}

function allowedBy({ event, place }: Watching, approved: Approved): Allowed {
  const isExact = event.call?.kind === 'write' && !mayWriteUnseen(event)
  const hash = isExact ? sha256(approved.content) : undefined
  return { path: pathOf(approved), hash, at: place.now() }
}

function pathOf({ root, path }: Approved): string {
  return join(realOf(root), path)
}
