import {
  findLocalServer,
  hashFor,
  IntegrityError,
  localServerName,
  lockedFqdn,
  PmlError,
  withEntry,
  type Fqdn,
  type Integrity,
  type LockedEntry,
  type Name,
} from '@pml/core'
import type { IntegrityApprovalRequired, Operation } from '../../api/approval.ts'
import type { ApprovedChange } from '../../registry/fetch-entry.ts'
import type { Parts } from '../../registry/parts.ts'
import { askAboutListing } from './ask-about-listing.ts'
import { findListing, parseListing } from './find-listing.ts'
import { writeListing } from './keep-listing.ts'
import { hashListing, type ServerListing } from './server-listing.ts'

/** The parts of a client that locking a local server takes. */
type DoorParts = Pick<Parts, 'files' | 'lock' | 'cache' | 'approvals' | 'isFrozen' | 'now'>

interface Checking {
  /** The server's current command, instructions and tools. */
  readonly listing: ServerListing
  /** The operation to resume after a person's answer. */
  readonly operation: Operation
  readonly approved?: ApprovedChange | undefined
}

/** The result of a check: the server matches its lock entry. */
interface Checked {
  readonly approvalRequired: false
  readonly fqdn: Fqdn
  readonly integrity: Integrity
  readonly lock: 'same' | 'added' | 'updated'
}

/** Listings that matched a lock entry, so that they are not hashed again for every call. */
const compared = new WeakMap<ServerListing, LockedEntry>()

/**
 * Locks a new local server, accepts the locked one, and stops at a changed one until a person has approved exactly this
 * change.
 */
export async function checkListing(
  parts: DoorParts,
  server: string,
  { listing, operation, approved }: Checking,
): Promise<Checked | IntegrityApprovalRequired> {
  const name = localServerName(server)
  const locked = (await parts.lock.read()).entries.get(name)
  if (locked && compared.get(listing) === locked) return checked(locked, 'same')
  const { integrity, bytes } = hashListing(server, listing)
  if (locked?.integrity === integrity) {
    const checkedNow = await same(parts, locked, listing)
    compared.set(listing, locked)
    return checkedNow
  }
  if (parts.isFrozen) throw frozen(server, locked, integrity)
  // Cached before it is shown, so that approved content cannot get lost; only the lock makes it trusted.
  await parts.cache.put(integrity, bytes)
  if (!locked) return keep(parts, { server, listing, integrity })
  if (approved?.from === locked.integrity && approved.to.integrity === integrity)
    return keep(parts, { server, listing, integrity, expected: locked })
  const before = await findLocked(parts, locked)
  return askAboutListing(parts, { locked, before, after: listing, integrity, operation })
}

/** Locks an approved change without starting the server: it was cached when it was shown. */
export async function keepApproved(
  parts: DoorParts,
  server: string,
  { from, to: { integrity } }: ApprovedChange,
): Promise<Checked> {
  const name = localServerName(server)
  const locked = (await parts.lock.read()).entries.get(name)
  if (locked?.integrity === integrity) return checked(locked, 'same')
  if (locked?.integrity !== from) throw changedMeanwhile(name)
  const bytes = await parts.cache.find(integrity)
  const listing = bytes && parseListing(bytes, integrity)
  if (listing) return keep(parts, { server, listing, integrity, expected: locked })
  throw new PmlError(
    'unavailable',
    `Cannot lock the approved ${integrity} of ${server}: it is no longer cached; run the command again for a new prompt`,
  )
}

/** The locked listing of a local server, without starting it. */
export async function findLockedListing(
  parts: Pick<DoorParts, 'files' | 'lock' | 'cache'>,
  server: string,
): Promise<ServerListing | undefined> {
  const locked = (await parts.lock.read()).entries.get(localServerName(server))
  return locked && findLocked(parts, locked)
}

/** The locked listing from its file, or from the cache if the file differs. */
async function findLocked(
  { files, cache }: Pick<DoorParts, 'files' | 'cache'>,
  locked: LockedEntry,
): Promise<ServerListing | undefined> {
  const written = await findListing(files, locked)
  if (written) return written
  const cached = await cache.find(locked.integrity)
  return cached && parseListing(cached, locked.integrity)
}

/** Restores the listing file if it is missing or differs from the lock. */
async function same(parts: DoorParts, locked: LockedEntry, listing: ServerListing): Promise<Checked> {
  const { files, isFrozen } = parts
  const server = findLocalServer(locked.name) ?? ''
  if (locked.type !== listing.launch.kind || locked.routing !== 'client') throw otherKind(locked, listing)
  if (!isFrozen && !(await findListing(files, locked))) await writeListing(files, server, listing)
  return checked(locked, 'same')
}

interface Kept {
  readonly server: string
  readonly listing: ServerListing
  readonly integrity: Integrity
  /** The lock entry that the person was shown; undefined if there was none. */
  readonly expected?: LockedEntry
}

/** Replaces the entry only if it is still the one that was shown, then writes the listing file. */
async function keep(parts: DoorParts, { server, listing, integrity, expected }: Kept): Promise<Checked> {
  const { files, lock, now } = parts
  const name = localServerName(server)
  const others = expected ? [expected.integrity] : []
  const { kind: type } = listing.launch
  const fetchedAt = now().toISOString()
  const entry: LockedEntry = {
    name,
    hash: hashFor(integrity, others),
    integrity,
    type,
    routing: 'client',
    fetchedAt,
  }
  const { entries } = await lock.update((current) => {
    const found = current.entries.get(name)
    if (found?.integrity === integrity) return current
    if (found?.integrity !== expected?.integrity) throw changedMeanwhile(name)
    return withEntry(current, entry)
  })
  await writeListing(files, server, listing)
  return checked(entries.get(name) ?? entry, expected ? 'updated' : 'added')
}

function checked(entry: LockedEntry, lock: Checked['lock']): Checked {
  return { approvalRequired: false, fqdn: lockedFqdn(entry), integrity: entry.integrity, lock }
}

function frozen(server: string, locked: LockedEntry | undefined, found: Integrity): PmlError {
  const fix = 'use it once without --frozen, then commit .pml/mcp.lock and .pml/servers'
  if (!locked)
    return new PmlError(
      'lock_frozen',
      `Cannot use ${server}: it is not in .pml/mcp.lock, which is frozen; ${fix}`,
    )
  return new PmlError(
    'lock_frozen',
    `Cannot use ${server}: .pml/mcp.lock, which is frozen, has ${locked.integrity}, but it is ${found} now; ${fix}`,
    { locked: locked.integrity, found },
  )
}

function otherKind(locked: LockedEntry, { launch }: ServerListing): IntegrityError {
  return new IntegrityError(
    'integrity_mismatch',
    `Cannot trust ${lockedFqdn(locked)}: it is locked as ${locked.type} of the ${locked.routing}, but it is ${launch.kind} of the client; restore the lockfile from version control`,
  )
}

function changedMeanwhile(name: Name): IntegrityError {
  return new IntegrityError(
    'integrity_mismatch',
    `Cannot lock ${name}: another process has just locked something else for it; run the command again to compare`,
  )
}
