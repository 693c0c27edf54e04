import { mayRead, type Name } from '@pml/core'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/connect.ts'
import { withDeadline } from '../http/deadline.ts'
import type { Actor } from '../keys/actor.ts'
import type { Entry } from './entry.ts'
import { readEntries } from './read-entries.ts'
import { notFound } from './refusals.ts'

/** Names with their current release, in memory as far as the byte limit goes, in the database always. */
export interface CurrentEntries {
  /** Only what is in memory. */
  peek(name: Name): Entry | undefined
  find(name: Name): Promise<Entry | undefined>
  /** Throws `not_found` for a name that is unknown, or private to others. */
  read(name: Name, actor: Actor): Promise<Entry>
  drop(name: Name): void
  clear(): void
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

/** What an entry costs beside its bytes, measured: strings, objects, the map's own share. */
const OVERHEAD_BYTES = 1200
/** Under load, names that are missed while queries run are read together by the next one. */
const MOST_QUERIES = 3
const MOST_NAMES = 200
const QUERY_DEADLINE_MS = 10_000

export function createCurrentEntries(
  db: Pick<Database, 'sql'>,
  { maxBytes }: { maxBytes: number },
): CurrentEntries {
  const held = new LRUCache<Name, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => OVERHEAD_BYTES + bytes.length,
  })
  const loads = new Map<Name, Load>()
  let waiting: Load[] = []
  let queries = 0

  function load(name: Name): Promise<Entry | undefined> {
    const running = loads.get(name)
    if (running && !running.stale) return running.promise
    const { promise, resolve, reject } = withResolvers<Entry | undefined>()
    const started: Load = { name, promise, done: resolve, fail: reject, stale: false }
    loads.set(name, started)
    waiting.push(started)
    query()
    return promise
  }

  function query(): void {
    if (queries >= MOST_QUERIES || waiting.length === 0) return
    const batch = waiting.slice(0, MOST_NAMES)
    waiting = waiting.slice(MOST_NAMES)
    queries++
    const names = batch.map(({ name }) => name)
    withDeadline(readEntries(db, names), QUERY_DEADLINE_MS)
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
    if (entry && !loaded.stale) held.set(loaded.name, entry)
    if (loads.get(loaded.name) === loaded) loads.delete(loaded.name)
    loaded.done(entry)
  }

  function abandon(loaded: Load, error: unknown): void {
    if (loads.get(loaded.name) === loaded) loads.delete(loaded.name)
    loaded.fail(error)
  }

  const find = async (name: Name) => held.get(name) ?? load(name)
  return {
    peek: (name) => held.get(name),
    find,
    read: async (name, actor) => {
      const entry = await find(name)
      if (!entry || (entry.visibility === 'private' && !mayRead(actor.scopes, name))) throw notFound(name)
      return entry
    },
    drop: (name) => {
      held.delete(name)
      const running = loads.get(name)
      if (running) running.stale = true
    },
    clear: () => {
      held.clear()
      for (const running of loads.values()) running.stale = true
    },
    get heldBytes() {
      return held.calculatedSize
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
