import { createHash } from 'node:crypto'
import type { Integrity, LockedEntry, Lockfile, Name } from '@pml/core'

const ENTRIES = 200

/** An entry that looks fetched; equal numbers give equal entries. */
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

/** A large lockfile in which every entry shows which of several files it belongs to. */
export function generation(at: number): Lockfile {
  const fetchedAt = new Date(Date.UTC(2026, 0, 1) + at).toISOString()
  const entries = Array.from({ length: ENTRIES }, (_, number) => entryOf(number, fetchedAt))
  return { entries: new Map(entries.map((entry) => [entry.name, entry])) }
}
