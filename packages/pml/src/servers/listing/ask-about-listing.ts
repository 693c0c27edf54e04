import { hashFor, type Integrity, type LockedEntry } from '@pml/core'
import { describeServerChange, printServerChange } from '@pml/core/changes'
import type { IntegrityApprovalRequired, Operation } from '../../api/approval.ts'
import type { Parts } from '../../registry/parts.ts'
import type { ServerListing } from './server-listing.ts'

interface ChangedListing {
  readonly locked: LockedEntry
  /** Undefined if the locked listing is no longer available. */
  readonly before: ServerListing | undefined
  readonly after: ServerListing
  readonly integrity: Integrity
  readonly operation: Operation
}

/** Asks a person about a local server that differs from the locked one, and shows the difference. */
export async function askAboutListing(
  { approvals }: Pick<Parts, 'approvals'>,
  { locked, before, after, integrity, operation }: ChangedListing,
): Promise<IntegrityApprovalRequired> {
  const change = describeServerChange(before, after)
  const { findings } = change
  const grave = findings.filter(({ severity }) => severity !== 'info')
  const { name, hash: oldHash } = locked
  const approval = await approvals.ask(
    {
      approvalType: 'integrity',
      fqdn: name,
      oldHash,
      newHash: hashFor(integrity, [locked.integrity]),
      oldFetchedAt: locked.fetchedAt,
      description: `${name} differs from what was locked: its command, its instructions or its tools have changed. This could be a legitimate update or tampering.`,
      oldIntegrity: locked.integrity,
      newIntegrity: integrity,
      type: after.launch.kind,
      routing: 'client',
      change: { fields: [], warnings: grave.map(({ message }) => message) },
      findings,
      diff: printServerChange(change, { before, after }),
    },
    operation,
  )
  return approval as IntegrityApprovalRequired
}
