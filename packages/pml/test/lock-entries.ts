import { createHash } from 'node:crypto'
import type { Integrity, LockedEntry, Lockfile, Name } from '@pml/core'

const ENTRIES = 200

/** An entry like one that was fetched; the same number gives the same one. */
export function entryOf(number: number, fetchedAt = '2026-01-07T12:00:00.000Z'): LockedEntry {
  const hex = createHash('sha256').update(String(number)).digest('hex')
  return {
    name: `acme.tools.text.tool${number}` as Name,
    hash: hex.slice(0, 4),
    integrity: `sha256-${hex}` as Integrity,
    fetchedAt,
    type: 'deno',
    routing: 'client',
  }
}

/** A lockfile of some size in which every entry tells which one of a row of files it is. */
export function generation(at: number): Lockfile {
  const fetchedAt = new Date(Date.UTC(2026, 0, 1) + at).toISOString()
  const entries = Array.from({ length: ENTRIES }, (_, number) => entryOf(number, fetchedAt))
  return { entries: new Map(entries.map((entry) => [entry.name, entry])) }
}
