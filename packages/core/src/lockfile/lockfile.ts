import { hashMatches, type Integrity } from '../integrity.ts'
import { isLocal, printFqdn, toolNameOf, type Fqdn, type Name } from '../names.ts'
import { isWanted, type Permissions } from '../permissions.ts'
import type { Routing } from '../routing.ts'

export type LockedType = 'deno' | 'stdio' | 'http'

/** An entry that was fetched and verified, or approved by a person. */
export interface LockedEntry {
  readonly name: Name
  /** The label in the FQDN it was fetched by. */
  readonly hash: string
  readonly integrity: Integrity
  /** RFC 3339, UTC. */
  readonly fetchedAt: string
  readonly type: LockedType
  readonly routing: Routing
}

/** The trusted entries, at most one per name. Immutable. */
export interface Lockfile {
  readonly entries: ReadonlyMap<Name, LockedEntry>
}

export const emptyLockfile: Lockfile = { entries: new Map() }

export function lockedFqdn({ name, hash }: LockedEntry): Fqdn {
  return printFqdn(name, hash)
}

/** Returns a lockfile in which the entry replaces any earlier one of its name. */
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

/**
 * Removes entries that no allow or ask rule covers. Keeps local servers, because only the lockfile records what was trusted.
 */
export function withoutUnwanted(lockfile: Lockfile, permissions: Permissions): Cleaned {
  return withoutEntries(lockfile, ({ name }) => !isLocal(name) && !isWanted(permissions, toolNameOf(name)))
}
