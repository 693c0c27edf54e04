import { mayRead, type Name } from '@pml/core'
import type { Logger } from 'pino'
import { createBatch } from '../db/batch.ts'
import { LOOKUP_CONNECTIONS, type Database } from '../db/connect.ts'
import { withDeadline } from '../db/deadline.ts'
import type { Actor } from '../keys/actor.ts'
import type { Entry } from './entry.ts'
import type { EntryStore } from './entry-store.ts'
import { readEntries, type Audience } from './read-entries.ts'
import { notFound } from './refusals.ts'

/** The current releases of names, from the cache or the database. */
export interface CurrentEntries {
  /** Returns a cached entry, which is always public. */
  peek(name: Name): Entry | undefined
  /** Returns a public entry. */
  find(name: Name): Promise<Entry | undefined>
  /** Throws `not_found` for a name that is unknown or that the actor may not read. */
  read(name: Name, actor: Actor): Promise<Entry>
  drop(name: Name): void
  clear(): void
  /** Whether the cache can hold more entries without eviction. */
  readonly hasRoom: boolean
  /** Whether requests wait for entries from the database. */
  readonly isBusy: boolean
  readonly heldBytes: number
}

interface Load {
  readonly entry: Promise<Entry | undefined>
  /** The entry changed after the load began: its result may be returned, but not cached. */
  stale: boolean
}

const MOST_NAMES = 200
/** The deadline of each request and of each query. */
const DEADLINE_MS = 10_000

export function createCurrentEntries(
  db: Pick<Database, 'lookups'>,
  held: EntryStore,
  log: Logger,
): CurrentEntries {
  const loaders = { public: createLoader(db, 'public', tryKeep), all: createLoader(db, 'all', tryKeep) }

  /**
   * Caches only public entries: a private name must not be answered faster than an unknown one. If the disk is full or
   * fails, entries are served from the database.
   */
  function tryKeep(entry: Entry): void {
    if (entry.visibility !== 'public') return
    try {
      held.set(entry)
    } catch (error) {
      held.delete(entry.name)
      log.warn({ err: error }, 'cannot cache an entry')
    }
  }

  /** Treats an unreadable cache entry as missing, so that the database is read. */
  function peek(name: Name): Entry | undefined {
    try {
      return held.get(name)
    } catch (error) {
      log.warn({ err: error }, 'cannot read a cached entry')
      held.delete(name)
      return undefined
    }
  }

  return {
    peek,
    find: async (name) => peek(name) ?? loaders.public.load(name),
    // The query depends on scopes only, so that its timing does not reveal whether a private name exists.
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
  /** Prevents the results of running loads from being cached. */
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
  const ask = createBatch<Name, Entry | undefined>(
    async (names) => {
      const entries = await withDeadline(readEntries(db, names, audience), DEADLINE_MS)
      return names.map((name) => entries.get(name))
    },
    { most: MOST_NAMES, lanes: LOOKUP_CONNECTIONS },
  )

  function load(name: Name): Promise<Entry | undefined> {
    const running = loads.get(name)
    const { entry } = running && !running.stale ? running : start(name)
    return withDeadline(entry, DEADLINE_MS)
  }

  function start(name: Name): Load {
    const started: Load = { entry: ask(name).then(finish).finally(forget), stale: false }
    loads.set(name, started)
    return started

    function finish(entry: Entry | undefined): Entry | undefined {
      if (entry && !started.stale) keep(entry)
      return entry
    }

    function forget(): void {
      if (loads.get(name) === started) loads.delete(name)
    }
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
