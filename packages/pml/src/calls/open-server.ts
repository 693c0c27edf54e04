import type { Opened } from '../api/pml.ts'
import type { Approval, Operation } from '../api/approval.ts'
import type { CallLimits, CallParts } from './call-parts.ts'
import type { ApprovedChange } from '../registry/fetch-entry.ts'
import { checkListing, keepApproved } from '../servers/listing/check-listing.ts'
import { findConsent } from '../servers/discover/consent.ts'
import { findLockedServer, findLockedServers, testLocked } from './registry-servers.ts'
import { markSeen } from '../servers/listing/seen.ts'
import { serverDisabled, serverNotFound } from '../servers/discover/server-errors.ts'
import { requireTrusted } from '../workspace/workspace-config-file.ts'

interface OpenOptions {
  readonly server: string
  readonly limits: CallLimits
}

/** Starts a locked or local server, pings it, and compares it with its lock entry. */
export async function openServer(
  parts: CallParts,
  { server, limits }: OpenOptions,
): Promise<Opened | Approval> {
  await requireTrusted(parts)
  const locked = await findLockedServer(parts, server)
  if (locked) return testLocked(parts, locked, limits)
  const servers = await parts.servers()
  const local = await servers.find(server)
  if (!local)
    throw serverNotFound(server, [
      ...servers.list().map(({ name }) => name),
      ...(await findLockedServers(parts)).keys(),
    ])
  if (!local.isEnabled) throw serverDisabled(server)
  const operation: Operation = { kind: 'open-server', server }
  const consent = await findConsent(parts, local.found, operation)
  if (consent) return consent
  const report = await servers.test(local, limits.signal)
  const { listing } = local
  if (!listing) throw new Error(`unreachable: ${server} is open and was not inspected`)
  const checked = await checkListing(parts, server, { listing, operation })
  if (checked.approvalRequired) return checked
  const { fqdn, lock } = checked
  return { approvalRequired: false, server, fqdn, lock, ...report }
}

/** Locks an approved change as it was shown, without starting the server. */
export async function openAsApproved(
  parts: CallParts,
  server: string,
  approved: ApprovedChange,
): Promise<Opened> {
  const { fqdn, lock, integrity } = await keepApproved(parts, server, approved)
  // The person saw a listing that the server had shown on this machine.
  await markSeen(parts, server, integrity)
  await (await parts.servers()).recheck()
  return { approvalRequired: false, server, fqdn, lock }
}
