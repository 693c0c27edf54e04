import type { Integrity, LockedEntry } from '@pml/core'
import { describeChange, printChange, type Release as Shown } from '@pml/core/changes'
import type { IntegrityApprovalRequired, Operation } from '../api/approval.ts'
import type { Release } from './verify-answer.ts'
import { findTreeLock } from '../workspace/documents.ts'
import type { Parts } from './parts.ts'

interface Changed {
  readonly locked: LockedEntry
  readonly release: Release
  readonly operation: Operation
}

/** Asks a person about content that differs from the locked one, and shows the difference. */
export async function askAboutChange(
  parts: Parts,
  { locked, release, operation }: Changed,
): Promise<IntegrityApprovalRequired> {
  const { name, type, routing, integrity, bytes } = release
  // Cached before it is shown, so that approved content cannot get lost; only the lock makes it trusted.
  await parts.cache.put(integrity, bytes)
  const [before, after] = await Promise.all([findShown(parts, locked), shownOf(parts, release)])
  const change = describeChange(before, after)
  const [oldHash, newHash] = [locked.hash, release.hash]
  const approval = await parts.approvals.ask(
    {
      approvalType: 'integrity',
      fqdn: name,
      oldHash,
      newHash,
      oldFetchedAt: locked.fetchedAt,
      description: `Hash changed for ${name}. Old: ${oldHash}, New: ${newHash}. This could indicate a legitimate update or potential MITM attack.`,
      oldIntegrity: locked.integrity,
      newIntegrity: integrity,
      type,
      routing,
      change,
      diff: printChange(change),
    },
    operation,
  )
  return approval as IntegrityApprovalRequired
}

/** The locked content, from the cache or the registry. */
async function findShown(parts: Parts, locked: LockedEntry): Promise<Shown | undefined> {
  const bytes = await findContent(parts, locked.integrity)
  return bytes && shownOf(parts, { ...locked, bytes })
}

async function shownOf(parts: Parts, { type, routing, bytes }: Pick<Release, 'type' | 'routing' | 'bytes'>) {
  const lock = type === 'stdio' ? findTreeLock(bytes) : undefined
  const tree = lock && (await findContent(parts, lock))
  return { type, routing, bytes, ...(tree && { tree }) }
}

async function findContent(
  { cache, registry }: Parts,
  integrity: Integrity,
): Promise<Uint8Array | undefined> {
  return (await cache.find(integrity)) ?? (await registry.readBlob(integrity).catch(() => undefined))
}
