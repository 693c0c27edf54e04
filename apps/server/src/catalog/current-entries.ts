import { mayRead, type Name } from '@pml/core'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/connect.ts'
import type { Actor } from '../keys/actor.ts'
import { entryOf, type Entry, type EntryRow } from './entry.ts'
import { notFound } from './refusals.ts'

/** Names with their current release, in memory as far as the byte limit goes, in the database always. */
export interface CurrentEntries {
  /** Only what is in memory. */
  peek(name: Name): Entry | undefined
  /** Throws `not_found` for a name that is unknown, or private to others. */
  read(name: Name, actor: Actor): Promise<Entry>
  drop(name: Name): void
  clear(): void
  readonly heldBytes: number
}

interface Load {
  readonly promise: Promise<Entry | undefined>
  stale: boolean
}

/** What an entry costs beside its bytes: headers, names, the map's own share. */
const OVERHEAD_BYTES = 3000

export function createCurrentEntries(
  { sql }: Pick<Database, 'sql'>,
  { maxBytes }: { maxBytes: number },
): CurrentEntries {
  const held = new LRUCache<Name, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ found }) => OVERHEAD_BYTES + (found.body?.length ?? 0),
  })
  const loads = new Map<Name, Load>()

  /** A change heard of while the query runs may or may not be in its result: the result is used once and not kept. */
  function load(name: Name): Promise<Entry | undefined> {
    const running = loads.get(name)
    if (running && !running.stale) return running.promise
    const promise = query(name).then((entry) => {
      if (entry && !started.stale) held.set(name, entry)
      return entry
    })
    const started: Load = { promise, stale: false }
    loads.set(name, started)
    return promise.finally(() => {
      if (loads.get(name) === started) loads.delete(name)
    })
  }

  async function query(name: Name): Promise<Entry | undefined> {
    const [row] = await sql<EntryRow[]>`
      select n.name, n.visibility, n.retired_at is not null as retired,
             r.integrity, r.hash, r.type, r.routing, r.served_digest, coalesce(r.served, b.bytes) as bytes
      from mcp_name n
      join mcp_release r on r.name = n.name and r.integrity = n.current
      join blob b on b.integrity = r.integrity
      where n.name = ${name}`
    return row && entryOf(row)
  }

  function markStale(name: Name): void {
    const running = loads.get(name)
    if (running) running.stale = true
  }

  return {
    peek: (name) => held.get(name),
    read: async (name, actor) => {
      const entry = held.get(name) ?? (await load(name))
      if (!entry || (entry.visibility === 'private' && !mayRead(actor.scopes, name))) throw notFound(name)
      return entry
    },
    drop: (name) => {
      held.delete(name)
      markStale(name)
    },
    clear: () => {
      held.clear()
      for (const name of loads.keys()) markStale(name)
    },
    get heldBytes() {
      return held.calculatedSize
    },
  }
}
