import { decide, PmlError, type Name, type ToolName } from '@pml/core'
import type { Added, Opened } from '../api/pml.ts'
import type { Approval, Operation } from '../api/approval.ts'
import type { CallLimits, CallParts } from './call-parts.ts'
import { findPermission, type PermissionQuestion } from './call-request.ts'
import { startEntry } from './call-server.ts'
import { fetchEntry, type ApprovedChange } from '../registry/fetch-entry.ts'
import { resolveReference } from '../registry/resolve-reference.ts'
import { requireTrusted } from '../workspace/workspace-config-file.ts'
import { addEntry } from './add-entries.ts'
import { openServer } from './open-server.ts'

interface AddRequest {
  readonly reference: string
  readonly limits: CallLimits
  /** The entry for which a person has said yes. */
  readonly permitted?: Name | undefined
  readonly approved?: ApprovedChange | undefined
}

const ADD = 'pml:add' as ToolName

/**
 * What an agent asks for in the middle of a conversation. A person says yes to it first; then it is locked and, if it is a
 * server, started once, so that its tools are known. Each use of it is still asked about.
 */
export async function addInPassing(
  parts: CallParts,
  { reference: text, limits, permitted, approved }: AddRequest,
): Promise<Added | Opened | Approval> {
  await requireTrusted(parts)
  if (await (await parts.servers()).find(text)) return openServer(parts, { server: text, limits })
  const { name } = await resolveReference(parts, text)
  const { permissions } = await parts.config.read()
  const verdict = decide(permissions, ADD)
  const operation: Operation = { kind: 'add', reference: text, permitted }
  if (verdict === 'deny')
    throw new PmlError('tool_denied', `Cannot add ${name}: a deny rule in .pml.json speaks of ${ADD}`)
  const question: PermissionQuestion = {
    approvalType: 'tool_permission',
    fqdn: name,
    tool: ADD,
    arguments: { reference: text },
    description: `Permission to add ${name} to this workspace: it is locked, and if it is a server, installed and started. Each use of it is asked about.`,
  }
  const request = { verdict, permitted, name, operation, question: () => Promise.resolve(question) }
  const permission = await findPermission(parts, request)
  if ('approvalRequired' in permission) return permission
  const added = await addEntry(parts, name, { isAsked: true, limits, operation, approved })
  if ('approvalRequired' in added) return added
  const fetched = await fetchEntry(parts, { name, hash: undefined }, { operation })
  if (fetched.approvalRequired) return fetched
  const started =
    fetched.type === 'deno' ? undefined : await startEntry(parts, { fetched, operation, limits })
  if (started) return started
  const asked = await permission.spend()
  if (asked) return asked
  const { fqdn, type, rule } = added
  return { approvalRequired: false, fqdn, type, rule }
}
