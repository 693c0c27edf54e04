import { integrityOf, hexOf, parseName, type LockedEntry, type Lockfile } from '@pml/core'

/** The number of namespaces, like that of rules in a medium-sized workspace. */
const NAMESPACES = 20

export function namespaceOf(index: number): string {
  return `ns_${String(index % NAMESPACES).padStart(2, '0')}`
}

export function lockedEntry(index: number): LockedEntry {
  const integrity = integrityOf(Buffer.from(`content ${index}`))
  return {
    name: parseName(`bench.lock.${namespaceOf(index)}.tool_${index}`),
    hash: hexOf(integrity).slice(0, 4),
    integrity,
    fetchedAt: '2026-01-07T12:00:00.000Z',
    type: 'deno',
    routing: 'client',
  }
}

export function lockOf(count: number): Lockfile {
  const entries = Array.from({ length: count }, (_, index) => lockedEntry(index))
  return { entries: new Map(entries.map((entry) => [entry.name, entry])) }
}

/** One allow rule per namespace, so that a rule covers every entry. */
export function allowRules(): string[] {
  return Array.from({ length: NAMESPACES }, (_, index) => `${namespaceOf(index)}:*`)
}
