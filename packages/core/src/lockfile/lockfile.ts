import { hashMatches, type Integrity } from '../integrity.ts'
import { isLocal, printFqdn, toolNameOf, type Fqdn, type Name } from '../names.ts'
import { isWanted, type Permissions } from '../permissions.ts'
import type { Routing } from '../routing.ts'

export type LockedType = 'deno' | 'stdio' | 'http'

/** What was fetched and found right, or approved by a person. */
export interface LockedEntry {
  readonly name: Name
  /** The label in the FQDN under which it was fetched. */
  readonly hash: string
  readonly integrity: Integrity
  /** RFC 3339, UTC. */
  readonly fetchedAt: string
  readonly type: LockedType
  readonly routing: Routing
}

/** At most one entry for a name: what is trusted under it. Never changed, only replaced. */
export interface Lockfile {
  readonly entries: ReadonlyMap<Name, LockedEntry>
}

export const emptyLockfile: Lockfile = { entries: new Map() }

export function lockedFqdn({ name, hash }: LockedEntry): Fqdn {
  return printFqdn(name, hash)
}

/** The entry takes the place of an earlier one of its name. */
export function withEntry({ entries }: Lockfile, entry: LockedEntry): Lockfile {
  if (!hashMatches(entry.hash, { hash: entry.hash, integrity: entry.integrity }))
    throw new Error(`The hash of ${entry.name} does not belong to its integrity`)
  return { entries: new Map(entries).set(entry.name, entry) }
}

export interface Cleaned {
  readonly lockfile: Lockfile
  readonly removed: readonly LockedEntry[]
}

export function withoutEntries(lockfile: Lockfile, isRemoved: (entry: LockedEntry) => boolean): Cleaned {
  const removed = [...lockfile.entries.values()].filter(isRemoved)
  if (removed.length === 0) return { lockfile, removed }
  const entries = new Map(lockfile.entries)
  for (const { name } of removed) entries.delete(name)
  return { lockfile: { entries }, removed }
}

/** Entries that no allow or ask rule speaks of any more go. Those of this machine stay: nothing else says what they were. */
export function withoutUnwanted(lockfile: Lockfile, permissions: Permissions): Cleaned {
  return withoutEntries(lockfile, ({ name }) => !isLocal(name) && !isWanted(permissions, toolNameOf(name)))
}
