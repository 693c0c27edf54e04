import { localServerName, type Name, type ToolName } from '@pml/core'
import type { Called } from '../api/pml.ts'
import type { Approval, Operation } from '../api/approval.ts'
import { decideUse } from '../workspace/workspace-config-file.ts'
import { checkListing } from '../servers/listing/check-listing.ts'
import { findConsent } from '../servers/discover/consent.ts'
import { serverDisabled } from '../servers/discover/server-errors.ts'
import type { LocalServerUse } from '../servers/servers.ts'
import type { CallParts } from './call-parts.ts'
import { answerOf } from './call-server.ts'
import { findPermission, permissionQuestion, type CallRequest } from './call-request.ts'

interface LocalCall {
  readonly local: LocalServerUse
  readonly name: Name
  readonly tool: ToolName
}

const toolPattern = /^([^.:]+):([^:]+)$/

/** The local server of a tool; undefined if no file describes one. */
export async function findLocalCall(parts: CallParts, text: string): Promise<LocalCall | undefined> {
  const server = toolPattern.exec(text)?.[1]
  if (server === undefined) return undefined
  const local = await (await parts.servers()).find(server)
  return local && { local, name: localServerName(server), tool: text as ToolName }
}

/** Checks rules, switches, permission and consent, compares the server with its lock entry, and only then calls the tool. */
export async function callLocal(
  parts: CallParts,
  { local, name, tool }: LocalCall,
  request: CallRequest,
): Promise<Called | Approval> {
  const { args, permitted, approved, signal, onProgress } = request
  const { found, isEnabled, server } = local
  const verdict = await decideUse(parts, tool)
  if (!isEnabled) throw serverDisabled(found.name)
  const operation: Operation = { kind: 'call', tool: request.tool, args, permitted }
  const question = () => permissionQuestion(parts, { name, hash: undefined }, { tool, args })
  const permission = await findPermission(parts, { verdict, permitted, name, operation, question })
  if ('approvalRequired' in permission) return permission
  const consent = await findConsent(parts, found, operation)
  if (consent) return consent
  const session = await server.open(signal)
  const { listing } = local
  if (!listing) throw new Error(`unreachable: ${found.name} is open and was not inspected`)
  const checked = await checkListing(parts, found.name, { listing, operation, approved })
  if (checked.approvalRequired) return checked
  if (checked.lock === 'updated') await (await parts.servers()).recheck()
  const timeoutMs = found.callTimeoutMs ?? request.timeoutMs
  const action = tool.slice(tool.indexOf(':') + 1)
  const asked = await permission.spend()
  if (asked) return asked
  const result = await session.callTool(
    action,
    { ...args },
    { signal, timeoutMs, ...(onProgress && { onProgress }) },
  )
  return { approvalRequired: false, tool, fqdn: name, ...answerOf(tool, result) }
}
