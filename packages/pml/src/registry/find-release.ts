import {
  hashMatches,
  lockedFqdn,
  PmlError,
  printFqdn,
  type Fqdn,
  type LockedEntry,
  type Reference,
} from '@pml/core'
import type { Release } from './verify-answer.ts'
import type { ApprovedChange } from './fetch-entry.ts'
import type { Parts } from './parts.ts'

interface Wanted {
  readonly wanted: Reference
  readonly locked: LockedEntry | undefined
  readonly approved: ApprovedChange | undefined
}

/** A release may be published between two requests; more often than this is no accident. */
const MOST_STEPS = 3

/** The registry's current release of an entry; the locked and cached one if the registry is unreachable. */
export async function findRelease(parts: Parts, { wanted, locked, approved }: Wanted): Promise<Release> {
  const isAnswered = approved !== undefined && approved.from === locked?.integrity
  if (locked && (isAnswered || isFor(wanted, locked))) return currentInsteadOf(parts, locked, approved)
  const { name, hash } = wanted
  if (parts.isOffline) throw offline(printWanted(wanted))
  if (hash === undefined) return readCurrent(parts, await parts.registry.readCurrentFqdn(name))
  const found = await parts.registry.readRelease(printFqdn(name, hash))
  if (found === 'unchanged') throw new Error('unreachable: nothing was known to be unchanged')
  if (!('current' in found)) return found
  throw new PmlError(
    'hash_mismatch',
    `Cannot fetch ${printWanted(wanted)}: the current release is ${found.current}; ask for that one`,
    { currentFqdn: found.current },
  )
}

function isFor({ hash }: Reference, locked: LockedEntry): boolean {
  return hash === undefined || hashMatches(hash, locked)
}

/** Reads the cache while the registry responds: usually nothing has changed. */
async function currentInsteadOf(
  parts: Parts,
  locked: LockedEntry,
  approved: ApprovedChange | undefined,
): Promise<Release> {
  const { cache, registry, tell } = parts
  const fqdn = lockedFqdn(locked)
  if (parts.isOffline) {
    const other = await approvedOffline(parts, locked, approved)
    return other ?? asRelease(locked, (await cache.find(locked.integrity)) ?? missing(fqdn))
  }
  const answer = registry.readRelease(fqdn, locked.integrity).catch((error: unknown) => error)
  const [found, bytes] = await Promise.all([answer, cache.find(locked.integrity)])
  if (found === 'unchanged')
    return bytes
      ? asRelease(locked, bytes)
      : cacheLocked(parts, locked, requireRelease(await registry.readRelease(fqdn), fqdn))
  if (found instanceof PmlError) {
    if (found.code === 'gone') {
      tell(`${fqdn} was retired from the registry; using the locked release`)
      if (bytes) return asRelease(locked, bytes)
      return cacheLocked(parts, locked, asRelease(locked, await registry.readBlob(locked.integrity)))
    }
    const other = found.code === 'unavailable' ? await approvedOffline(parts, locked, approved) : undefined
    if (other) return other
    if (found.code !== 'unavailable' || !bytes) throw found
    tell(`The registry cannot be reached; using the locked and cached ${fqdn}`)
    return asRelease(locked, bytes)
  }
  if (found instanceof Error) throw found
  const answered = found as Release | { readonly current: Fqdn }
  if ('current' in answered) return readCurrent(parts, answered.current)
  return bytes ? answered : cacheLocked(parts, locked, answered)
}

/** Caches the locked release, so that it works offline, also in a fresh clone or after the cache was damaged. */
async function cacheLocked({ cache }: Parts, { integrity }: LockedEntry, release: Release): Promise<Release> {
  if (release.integrity === integrity) await cache.put(integrity, release.bytes)
  return release
}

/** An approved release was verified and cached when it was shown. */
async function approvedOffline(
  { cache }: Parts,
  locked: LockedEntry,
  approved: ApprovedChange | undefined,
): Promise<Release | undefined> {
  if (approved?.from !== locked.integrity) return undefined
  const { name } = locked
  const { integrity } = approved.to
  const bytes = await cache.find(integrity)
  if (bytes) return { name, ...approved.to, bytes }
  // The old content must not take the place of the approved one.
  throw new PmlError(
    'unavailable',
    `Cannot use the approved ${integrity} of ${name}: it is no longer cached and the registry cannot be reached; run it again later`,
  )
}

async function readCurrent({ registry }: Parts, first: Fqdn): Promise<Release> {
  let fqdn = first
  for (let step = 0; step < MOST_STEPS; step++) {
    const found = await registry.readRelease(fqdn)
    if (found === 'unchanged') break
    if (!('current' in found)) return found
    fqdn = found.current
  }
  throw new PmlError(
    'unavailable',
    `Cannot fetch ${fqdn}: the registry names another release on every request`,
  )
}

function requireRelease(found: Awaited<ReturnType<Parts['registry']['readRelease']>>, fqdn: Fqdn): Release {
  if (found !== 'unchanged' && !('current' in found)) return found
  throw new PmlError('unavailable', `Cannot fetch ${fqdn}: it changed while it was fetched; try again`)
}

function asRelease({ name, hash, integrity, type, routing }: LockedEntry, bytes: Uint8Array): Release {
  return { name, hash, integrity, type, routing, bytes }
}

function printWanted({ name, hash }: Reference): string {
  return hash === undefined ? name : printFqdn(name, hash)
}

function missing(fqdn: Fqdn): never {
  throw new PmlError(
    'unavailable',
    `Cannot use ${fqdn} offline: it is locked, but not cached; run "pml sync" while the registry can be reached`,
  )
}

function offline(wanted: string): PmlError {
  return new PmlError('unavailable', `Cannot fetch ${wanted} offline: it is not locked; leave out --offline`)
}
