import type { Approval } from '../../api/approval.ts'
import { fetchEntry } from '../../registry/fetch-entry.ts'
import type { Parts } from '../../registry/parts.ts'
import { requireOfRegistry } from '../../registry/registry-client.ts'
import { resolveLocked } from '../../registry/resolve-reference.ts'
import { findOutdated } from './find-outdated.ts'

export interface Updating {
  readonly approvalRequired: boolean
  readonly approvals: readonly Approval[]
  /** Locked, but no longer in the registry. */
  readonly retired: readonly string[]
}

/** One question for each entry that has changed. One question alone is the whole answer, as if it had been fetched. */
export async function updateEntries(
  parts: Parts,
  references: readonly string[],
): Promise<Updating | Approval> {
  const wanted = new Set<string>()
  for (const text of references) {
    const { name } = await resolveLocked(parts, text)
    requireOfRegistry(name)
    wanted.add(name)
  }
  const outdated = (await findOutdated(parts)).filter(
    ({ entry }) => wanted.size === 0 || wanted.has(entry.name),
  )
  const approvals: Approval[] = []
  for (const { entry } of outdated.filter(({ current }) => current !== null)) {
    const operation = { kind: 'fetch', reference: entry.name } as const
    const found = await fetchEntry(
      parts,
      { name: entry.name, hash: undefined },
      { operation, isAskedAgain: true },
    )
    if (found.approvalRequired) approvals.push(found)
  }
  const retired = outdated.flatMap(({ locked, current }) => (current === null ? locked : []))
  const [only, ...more] = approvals
  if (only && more.length === 0) return only
  return { approvalRequired: approvals.length > 0, approvals, retired }
}
