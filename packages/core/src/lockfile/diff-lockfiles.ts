import type { LockedEntry, Lockfile } from './lockfile.ts'

interface LockfileDiff {
  readonly added: readonly LockedEntry[]
  readonly removed: readonly LockedEntry[]
  readonly changed: readonly { readonly before: LockedEntry; readonly after: LockedEntry }[]
}

/** Compares entries by name; fetch times do not count. */
export function diffLockfiles(before: Lockfile, after: Lockfile): LockfileDiff {
  const names = [...new Set([...before.entries.keys(), ...after.entries.keys()])].sort()
  const pairs = names.map((name) => [before.entries.get(name), after.entries.get(name)] as const)
  return {
    added: pairs.flatMap(([old, now]) => (now && !old ? now : [])),
    removed: pairs.flatMap(([old, now]) => (old && !now ? old : [])),
    changed: pairs.flatMap(([old, now]) =>
      old && now && !isSame(old, now) ? { before: old, after: now } : [],
    ),
  }
}

function isSame(one: LockedEntry, other: LockedEntry): boolean {
  const facts: (keyof LockedEntry)[] = ['integrity', 'hash', 'type', 'routing']
  return facts.every((fact) => one[fact] === other[fact])
}
