import { mayRead, type Name } from '@pml/core'
import type { Logger } from 'pino'
import { LOOKUP_CONNECTIONS, type Database } from '../db/connect.ts'
import { withDeadline } from '../http/deadline.ts'
import type { Actor } from '../keys/actor.ts'
import type { Entry } from './entry.ts'
import type { EntryStore } from './entry-store.ts'
import { readEntries, type Audience } from './read-entries.ts'
import { notFound } from './refusals.ts'

/** Names with their current release, near at hand as far as the store goes, in the database always. */
export interface CurrentEntries {
  /** Only what is near at hand, to be answered with at once; always public. */
  peek(name: Name): Entry | undefined
  /** Public entries only. */
  find(name: Name): Promise<Entry | undefined>
  /** Throws `not_found` for a name that is unknown, or private to others. */
  read(name: Name, actor: Actor): Promise<Entry>
  drop(name: Name): void
  clear(): void
  /** Whether more can be near at hand without forgetting anything. */
  readonly hasRoom: boolean
  /** Whether anyone waits for an entry from the database. */
  readonly isBusy: boolean
  readonly heldBytes: number
}

interface Load {
  readonly name: Name
  readonly promise: Promise<Entry | undefined>
  readonly done: (entry: Entry | undefined) => void
  readonly fail: (error: unknown) => void
  /** A change was heard of after the load was asked for: its result may be used, but not kept. */
  stale: boolean
}

/**
 * The first miss is read at once; those that follow within this time are read together. A query costs many times what
 * another name in it costs, so a busy registry serves more, and an idle one waits for nothing.
 */
const PACE_MS = 3
const MOST_NAMES = 200
/** From when an entry was asked for, and for each query. */
const DEADLINE_MS = 10_000

export function createCurrentEntries(
  db: Pick<Database, 'lookups'>,
  held: EntryStore,
  log: Logger,
): CurrentEntries {
  const loaders = { public: createLoader(db, 'public', tryKeep), all: createLoader(db, 'all', tryKeep) }

  /**
   * Only public entries are held: a private name must not be answered faster than an unknown one. Without room or a
   * disk that works, entries are served from the database.
   */
  function tryKeep(entry: Entry): void {
    if (entry.visibility !== 'public') return
    try {
      held.set(entry)
    } catch (error) {
      held.delete(entry.name)
      log.warn({ err: error }, 'an entry could not be kept near at hand')
    }
  }

  /** What cannot be read from near at hand is read from the database. */
  function peek(name: Name): Entry | undefined {
    try {
      return held.get(name)
    } catch (error) {
      log.warn({ err: error }, 'an entry near at hand could not be read')
      held.delete(name)
      return undefined
    }
  }

  return {
    peek,
    find: async (name) => peek(name) ?? loaders.public.load(name),
    // Scopes alone decide which query is made: to those who may not read a name it is unknown, whether it exists or not.
    read: async (name, actor) => {
      const audience = mayRead(actor.scopes, name) ? 'all' : 'public'
      const entry = peek(name) ?? (await loaders[audience].load(name))
      if (!entry) throw notFound(name)
      return entry
    },
    drop: (name) => {
      held.delete(name)
      for (const loader of Object.values(loaders)) loader.outdate(name)
    },
    clear: () => {
      held.clear()
      for (const loader of Object.values(loaders)) loader.outdateAll()
    },
    get hasRoom() {
      return held.hasRoom
    },
    get isBusy() {
      return Object.values(loaders).some(({ isBusy }) => isBusy)
    },
    get heldBytes() {
      return held.heldBytes
    },
  }
}

interface Loader {
  load(name: Name): Promise<Entry | undefined>
  /** What is being loaded may be used, but not kept. */
  outdate(name: Name): void
  outdateAll(): void
  readonly isBusy: boolean
}

function createLoader(
  db: Pick<Database, 'lookups'>,
  audience: Audience,
  keep: (entry: Entry) => void,
): Loader {
  const loads = new Map<Name, Load>()
  let waiting: Load[] = []
  let queries = 0
  let pace: NodeJS.Timeout | undefined

  function load(name: Name): Promise<Entry | undefined> {
    const running = loads.get(name)
    if (running && !running.stale) return withDeadline(running.promise, DEADLINE_MS)
    const { promise, resolve, reject } = withResolvers<Entry | undefined>()
    const started: Load = { name, promise, done: resolve, fail: reject, stale: false }
    loads.set(name, started)
    waiting.push(started)
    query()
    return withDeadline(promise, DEADLINE_MS)
  }

  function query(): void {
    if (waiting.length === 0 || queries >= LOOKUP_CONNECTIONS || pace) return
    const batch = waiting.slice(0, MOST_NAMES)
    waiting = waiting.slice(MOST_NAMES)
    queries++
    pace = setTimeout(() => {
      pace = undefined
      query()
    }, PACE_MS)
    const names = batch.map(({ name }) => name)
    withDeadline(readEntries(db, names, audience), DEADLINE_MS)
      .then(
        (entries) => batch.forEach((loaded) => finish(loaded, entries.get(loaded.name))),
        (error) => batch.forEach((loaded) => abandon(loaded, error)),
      )
      .finally(() => {
        queries--
        query()
      })
  }

  function finish(loaded: Load, entry: Entry | undefined): void {
    if (entry && !loaded.stale) keep(entry)
    if (loads.get(loaded.name) === loaded) loads.delete(loaded.name)
    loaded.done(entry)
  }

  function abandon(loaded: Load, error: unknown): void {
    if (loads.get(loaded.name) === loaded) loads.delete(loaded.name)
    loaded.fail(error)
  }

  return {
    load,
    outdate: (name) => {
      const running = loads.get(name)
      if (running) running.stale = true
    },
    outdateAll: () => {
      for (const running of loads.values()) running.stale = true
    },
    get isBusy() {
      return loads.size > 0
    },
  }
}

function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<Value>((done, fail) => {
    resolve = done
    reject = fail
  })
  return { promise, resolve, reject }
}
