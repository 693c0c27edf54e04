import { IntegrityError, PmlError, withRule, type Integrity, type Name } from '@pml/core'
import type { Added, Called, ContinueWorkflow, Fetched, Opened } from '../api.ts'
import type { Approval, IntegrityApprovalRequired, Operation } from '../approvals/approval.ts'
import type { CallLimits, CallParts } from '../calling/call-parts.ts'
import { callTool } from '../calling/call-tool.ts'
import { agree, type WantedDependency } from '../calling/pinned-tree.ts'
import { fetchEntry, type ApprovedChange } from '../fetching/fetch-entry.ts'
import { resolveReference } from '../fetching/resolve-reference.ts'
import { changeConfig } from '../workspace/change-config.ts'
import { addInPassing } from './add-in-passing.ts'
import { openAsApproved, openServer } from './open-server.ts'

/** A person's answer: no ends it, yes takes up what was going on, for exactly what was shown. */
export async function continueWorkflow(
  parts: CallParts,
  answer: ContinueWorkflow,
  limits: CallLimits,
): Promise<Fetched | Called | Added | Opened | Approval> {
  const { workflowId, approved, always = false } = answer
  const { approval, operation } = await parts.approvals.take(workflowId, (asked) => check(asked, answer))
  if (!approved) throw rejectionOf(approval)
  if (approval.approvalType === 'integrity')
    return resume(parts, operation, { limits, approved: changeIn(approval) })
  if (approval.approvalType === 'dependency')
    await agree(parts, approval.fqdn as Name, dependencyIn(approval))
  if (approval.approvalType !== 'tool_permission') return resume(parts, operation, { limits })
  if (always) await changeConfig(parts.files, (text) => withRule(text, 'allow', approval.tool))
  const permitted = approval.fqdn as Name
  const isPermitted = operation.kind === 'call' || operation.kind === 'add'
  return resume(parts, isPermitted ? { ...operation, permitted } : operation, { limits })
}

/** Answers come from programs too: whatever is not plainly yes or no is neither. */
function check({ approvalType }: Approval, { approved, always = false }: ContinueWorkflow): void {
  if (typeof approved !== 'boolean')
    throw new PmlError('invalid_arguments', 'Cannot continue: expected true or false as the answer')
  if (always && !(approved && approvalType === 'tool_permission'))
    throw new PmlError(
      'invalid_arguments',
      `Cannot continue: expected always only with a yes to tool_permission, got it with ${approved ? approvalType : 'a no'}; leave it out`,
    )
}

interface Resuming {
  readonly limits: CallLimits
  readonly approved?: ApprovedChange
}

async function resume(parts: CallParts, operation: Operation, { limits, approved }: Resuming) {
  if (operation.kind === 'call') return callTool(parts, { ...operation, ...limits, approved })
  if (operation.kind === 'open-server')
    return approved
      ? openAsApproved(parts, operation.server, approved)
      : openServer(parts, { ...operation, limits })
  if (operation.kind === 'add') return addInPassing(parts, { ...operation, limits, approved })
  const reference = await resolveReference(parts, operation.reference)
  return fetchEntry(parts, { ...reference, hash: undefined }, { approved, operation })
}

function changeIn({
  oldIntegrity,
  newIntegrity,
  newHash,
  type,
  routing,
}: IntegrityApprovalRequired): ApprovedChange {
  return {
    from: oldIntegrity as Integrity,
    to: { integrity: newIntegrity as Integrity, hash: newHash, type, routing },
  }
}

function dependencyIn(approval: Extract<Approval, { approvalType: 'dependency' }>): WantedDependency {
  const { commandLine, package: pkg, version = '', lockIntegrity = '' } = approval
  if (pkg === undefined) return { kind: 'command', commandLine }
  return { kind: 'pinned', package: pkg, version, lock: lockIntegrity as Integrity, bin: '' }
}

function rejectionOf(approval: Approval): PmlError {
  const { fqdn } = approval
  if (approval.approvalType !== 'integrity')
    return new PmlError('rejected', `Cannot go on with ${fqdn}: a person said no (${approval.approvalType})`)
  const { oldIntegrity, newIntegrity } = approval
  return new IntegrityError(
    'rejected',
    `Cannot use ${fqdn}: a person rejected the change from ${oldIntegrity} to ${newIntegrity}; the lockfile is as it was`,
    { fqdn, oldIntegrity, newIntegrity },
  )
}
