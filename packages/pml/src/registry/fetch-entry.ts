import {
  IntegrityError,
  lockedFqdn,
  PmlError,
  printFqdn,
  withEntry,
  type Integrity,
  type LockedEntry,
  type Name,
  type Reference,
} from '@pml/core'
import type { Fetched } from '../api/pml.ts'
import type { IntegrityApprovalRequired, Operation } from '../api/approval.ts'
import type { Release } from './verify-answer.ts'
import { askAboutChange } from './ask-about-change.ts'
import { findRelease } from './find-release.ts'
import type { Parts } from './parts.ts'
import { requireNotDenied } from '../workspace/workspace-config-file.ts'
import { withSuggestion } from './resolve-reference.ts'
import { requireOfRegistry } from './registry-client.ts'

/** A change that a person approved: from exactly this content to exactly that. */
export interface ApprovedChange {
  readonly from: Integrity
  readonly to: Pick<Release, 'hash' | 'integrity' | 'type' | 'routing'>
}

interface FetchOptions {
  readonly approved?: ApprovedChange | undefined
  /** The operation to resume after a person's answer. */
  readonly operation: Operation
  /** Asks about a change even if a person declined it before. */
  readonly isAskedAgain?: boolean
}

/**
 * Checks permission and lock entry, asks the registry, hashes and compares. New content is locked, locked content is used,
 * and changed content stops here until a person has approved exactly this change.
 */
export async function fetchEntry(
  parts: Parts,
  wanted: Reference,
  { approved, operation, isAskedAgain = false }: FetchOptions,
): Promise<Fetched | IntegrityApprovalRequired> {
  requireOfRegistry(wanted.name)
  await requireNotDenied(parts, wanted.name)
  const locked = (await parts.lock.read()).entries.get(wanted.name)
  if (!locked && parts.isFrozen) throw notLocked(wanted.name)
  const find = () => findRelease(parts, { wanted, locked, approved })
  const release = await (locked ? find() : withSuggestion(parts, wanted.name, find))
  if (!locked) return keep(parts, release, 'added')
  if (locked.integrity === release.integrity) return same(locked, release)
  if (locked.hash === release.hash) throw twoContents(locked, release)
  if (parts.isFrozen) throw frozen(locked, release)
  if (approved?.from === locked.integrity && approved.to.integrity === release.integrity)
    return keep(parts, release, 'updated', locked)
  const { declined } = await parts.history.find(wanted.name)
  if (declined.includes(release.integrity) && wanted.hash === undefined && !isAskedAgain)
    return asLocked(parts, locked, release)
  return askAboutChange(parts, { locked, release, operation })
}

/** Returns the locked content after a person declined the change. */
async function asLocked(parts: Parts, locked: LockedEntry, declined: Release): Promise<Fetched> {
  const { cache, registry, tell } = parts
  const { name, integrity, type } = locked
  tell(
    `${lockedFqdn(locked)} stays locked: ${declined.hash} was declined; "pml update ${name}" asks about it again`,
  )
  let bytes: Uint8Array | undefined = await cache.find(integrity)
  if (!bytes) {
    bytes = await registry.readBlob(integrity)
    await cache.put(integrity, bytes)
  }
  return same(locked, { ...declined, type, bytes })
}

/** The lock decides about everything that the hash does not cover. */
function same(locked: LockedEntry, { type, bytes }: Release): Fetched {
  if (locked.type !== type)
    throw new IntegrityError(
      'integrity_mismatch',
      `Cannot trust ${lockedFqdn(locked)}: it is locked as ${locked.type}, but the registry serves it as ${type}`,
    )
  const { name, routing, integrity, fetchedAt } = locked
  return {
    approvalRequired: false,
    fqdn: lockedFqdn(locked),
    name,
    type,
    routing,
    integrity,
    fetchedAt,
    lock: 'same',
    bytes,
  }
}

/** Caches the bytes, then writes the entry. The entry is only replaced if it is still the one that was shown. */
async function keep(
  parts: Parts,
  release: Release,
  lock: 'added' | 'updated',
  expected?: LockedEntry,
): Promise<Fetched> {
  const { name, hash, integrity, type, routing, bytes } = release
  await parts.cache.put(integrity, bytes)
  const entry: LockedEntry = { name, hash, integrity, type, routing, fetchedAt: parts.now().toISOString() }
  const lockfile = await parts.lock.update((current) => {
    const now = current.entries.get(name)
    if (now?.integrity === integrity) return current
    if (now?.integrity !== expected?.integrity) throw changedMeanwhile(name)
    return withEntry(current, entry)
  })
  if (expected) await remember(parts, expected)
  const { fetchedAt } = lockfile.entries.get(name) ?? entry
  return {
    approvalRequired: false,
    fqdn: printFqdn(name, hash),
    name,
    type,
    routing,
    integrity,
    fetchedAt,
    lock,
    bytes,
  }
}

/** Records what was locked before, for "pml rollback". */
async function remember({ history, tell }: Parts, left: LockedEntry): Promise<void> {
  try {
    await history.change(left.name, ({ earlier }) => ({
      declined: [],
      earlier: [left, ...earlier.filter(({ integrity }) => integrity !== left.integrity)],
    }))
  } catch (error) {
    // The change itself is already locked.
    if (!(error instanceof PmlError)) throw error
    tell(error.message)
  }
}

/** An address has one content for ever: either the lockfile or the registry was tampered with. */
function twoContents(locked: LockedEntry, release: Release): IntegrityError {
  return new IntegrityError(
    'integrity_mismatch',
    `Cannot trust ${lockedFqdn(locked)}: .pml/mcp.lock has ${locked.integrity}, but the registry serves ${release.integrity} under the same address; restore the lockfile from version control, or "pml remove" the entry and add it again`,
    { locked: locked.integrity, found: release.integrity },
  )
}

function notLocked(name: Name): PmlError {
  return new PmlError(
    'lock_frozen',
    `Cannot use ${name}: it is not in .pml/mcp.lock, which is frozen; run "pml add ${name}" without --frozen and commit the lockfile`,
  )
}

function frozen(locked: LockedEntry, release: Release): PmlError {
  return new PmlError(
    'lock_frozen',
    `Cannot use ${release.name}: .pml/mcp.lock, which is frozen, has ${locked.integrity}, but the registry serves ${release.integrity}; run "pml update ${release.name}" without --frozen and commit the lockfile`,
    { locked: locked.integrity, found: release.integrity },
  )
}

function changedMeanwhile(name: Name): IntegrityError {
  return new IntegrityError(
    'integrity_mismatch',
    `Cannot lock ${name}: another process has just locked other content for it; run the command again to compare`,
  )
}
