import {
  bareToolName,
  decide,
  findServer,
  parseEntryReference,
  PmlError,
  toolNameOf,
  type Reference,
  type ToolName,
} from '@pml/core'
import type { Called } from '../api/pml.ts'
import type { Approval, Operation } from '../api/approval.ts'
import { fetchEntry } from '../registry/fetch-entry.ts'
import { decideUse, requireTrusted } from '../workspace/workspace-config-file.ts'
import { resolveTool } from '../registry/resolve-reference.ts'
import { callLocal, findLocalCall } from './call-local.ts'
import { callModule } from './call-module.ts'
import { findPermission, permissionQuestion, type CallRequest } from './call-request.ts'
import { callServer } from './call-server.ts'
import type { CallParts } from './call-parts.ts'

const toolPattern = /^[^.:]+:[^:]+$/
export const TOOL_NAME = 'expected the name of a tool to be 1 to 128 letters, digits, _, . and -'

/** Checks rules and permission, fetches and compares the entry, then runs it by its type. */
export async function callTool(parts: CallParts, request: CallRequest): Promise<Called | Approval> {
  requireToolName(request.tool)
  await requireTrusted(parts)
  const local = await findLocalCall(parts, request.tool)
  if (local) return callLocal(parts, local, request)
  const { reference, tool } = await resolveCall(parts, request.tool)
  const { args, permitted, approved } = request
  const verdict = await decideUse(parts, tool)
  if (parts.isFrozen) await requireAsLocked(parts, reference, tool)
  const operation: Operation = { kind: 'call', tool: request.tool, args, permitted }
  const { name } = reference
  const question = () => permissionQuestion(parts, reference, { tool, args })
  const permission = await findPermission(parts, { verdict, permitted, name, operation, question })
  if ('approvalRequired' in permission) return permission
  const fetched = await fetchEntry(parts, reference, { approved, operation })
  if (fetched.approvalRequired) return fetched
  const call = { fetched, tool, args, operation, permission, limits: request }
  const answer = fetched.type === 'deno' ? await callModule(parts, call) : await callServer(parts, call)
  return 'approvalRequired' in answer
    ? answer
    : { approvalRequired: false, tool, fqdn: fetched.fqdn, ...answer }
}

/** Refuses unusual names: a tool called `*` would be allowed as all tools of its server. */
function requireToolName(text: string): void {
  const colon = text.indexOf(':')
  if (colon === -1 || bareToolName.test(text.slice(colon + 1))) return
  throw new PmlError('unknown_tool', `Cannot run ${JSON.stringify(text.slice(0, 100))}: ${TOOL_NAME}`)
}

async function resolveCall(
  parts: CallParts,
  text: string,
): Promise<{ reference: Reference; tool: ToolName }> {
  if (toolPattern.test(text)) {
    const tool = text as ToolName
    return { tool, reference: { name: await resolveTool(parts, tool), hash: undefined } }
  }
  const reference = parseEntryReference(text)
  const server = findServer(reference.name)
  if (server === undefined) return { reference, tool: toolNameOf(reference.name) }
  throw new PmlError(
    'unknown_tool',
    `Cannot run ${text}: it is a server with many tools; name one of them as ${server}:<tool>, "pml catalog show ${server}" lists them`,
  )
}

/** With a frozen lockfile, fails for a different entry before any prompt. */
async function requireAsLocked(parts: CallParts, reference: Reference, tool: ToolName): Promise<void> {
  const { permissions } = await parts.config.read()
  const operation = { kind: 'fetch', reference: reference.name } as const
  if (decide(permissions, tool) === 'ask') await fetchEntry(parts, reference, { operation })
}
