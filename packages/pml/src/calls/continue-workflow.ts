import { findLocalServer, isLocal, PmlError, withRule, type Integrity, type Name } from '@pml/core'
import type { Added, Answered, Called, ContinueWorkflow, Fetched, Opened } from '../api/pml.ts'
import type { Approval, IntegrityApprovalRequired, Operation } from '../api/approval.ts'
import { rejectionOf } from '../workspace/prompts/pending-approvals.ts'
import type { CallLimits, CallParts } from './call-parts.ts'
import { callTool } from './call-tool.ts'
import { agree, type WantedDependency } from '../workspace/consent.ts'
import { fetchEntry, type ApprovedChange } from '../registry/fetch-entry.ts'
import { resolveReference } from '../registry/resolve-reference.ts'
import type { Given } from '../machine/person/person.ts'
import type { Proof } from '../machine/person/proof.ts'
import { changeConfig } from '../workspace/change-config.ts'
import { addInPassing } from './add-entries.ts'
import { openAsApproved, openServer } from './open-server.ts'

/** An answer, and where it was given. */
interface ProvenAnswer extends ContinueWorkflow {
  readonly given: Given
}

/** Handles a person's answer: a no is thrown, a yes resumes the operation for exactly what was shown. */
export async function continueWorkflow(
  parts: CallParts,
  answer: ProvenAnswer,
  limits: CallLimits,
): Promise<Fetched | Called | Added | Opened | Approval> {
  const { workflowId, approved, always = false } = answer
  const proof = await prove(parts, answer)
  const given = { approved, proof }
  const { approval, operation } = await parts.approvals.take(workflowId, given, (asked) =>
    check(asked, answer),
  )
  if (!approved) {
    const isRemembered = await remember(parts, approval)
    throw rejectionOf(approval, isRemembered ? LOCKED_WORKS : '')
  }
  if (approval.approvalType === 'integrity')
    return resume(parts, operation, { limits, approved: changeIn(approval) })
  if (approval.approvalType === 'dependency')
    await agree(parts, approval.fqdn as Name, { wanted: dependencyIn(approval), proof })
  if (approval.approvalType !== 'tool_permission') return resume(parts, operation, { limits })
  if (always) await changeConfig(parts, (text) => withRule(text, 'allow', approval.tool))
  const permitted = approval.fqdn as Name
  const isPermitted = operation.kind === 'call' || operation.kind === 'add'
  return resume(parts, isPermitted ? { ...operation, permitted } : operation, { limits })
}

/**
 * Stores a person's answer without resuming the operation; the stopped caller has to try again. A yes to a change or an
 * installation holds from now on for exactly what was shown; a yes to a call is used up by the next same call. A no holds
 * until it expires.
 */
export async function answerWorkflow(
  parts: CallParts,
  answer: ProvenAnswer,
): Promise<Answered | Fetched | Opened | Approval> {
  const { workflowId, approved, always = false } = answer
  const proof = await prove(parts, answer)
  const pending = await parts.approvals.take(workflowId, { approved, proof }, (asked) => {
    check(asked, answer)
    if (approved && asked.approvalType === 'api_key_required') throw notAnswerable(asked)
  })
  const { approval, operation } = pending
  const { approvalType, fqdn } = approval
  if (!approved) {
    const isRemembered = await remember(parts, approval)
    // A fetch is run by a person, who may change their mind at once.
    if (!isRemembered && operation.kind !== 'fetch')
      await parts.approvals.keep(pending, { approved: false, proof })
    throw rejectionOf(approval, isRemembered ? LOCKED_WORKS : '')
  }
  const answered = { approvalRequired: false, workflowId, approvalType, fqdn } as const
  if (approvalType === 'integrity') {
    const accepted = await acceptChange(parts, approval, operation)
    if (accepted.approvalRequired || operation.kind === 'fetch' || operation.kind === 'open-server')
      return accepted
    return { ...answered, fqdn: accepted.fqdn, next: `${fqdn} is locked as shown; ${NOT_RUN}` }
  }
  if (approvalType === 'dependency') {
    await agree(parts, fqdn as Name, { wanted: dependencyIn(approval), proof })
    return { ...answered, next: `${fqdn} may be installed and started as shown; ${NOT_RUN}` }
  }
  if (approvalType === 'tool_permission' && always) {
    await changeConfig(parts, (text) => withRule(text, 'allow', approval.tool))
    return { ...answered, next: `${approval.tool} is allowed from now on; ${NOT_RUN}` }
  }
  const { expiresAt } = await parts.approvals.keep(pending, { approved: true, proof })
  return { ...answered, expiresAt, next: `The same call passes once, until ${expiresAt}; nothing was run` }
}

function prove({ person }: CallParts, { workflowId, approved, always, given }: ProvenAnswer): Promise<Proof> {
  const word = approved === false ? '--reject' : `--approve${always === true ? ' --always' : ''}`
  return person.prove(given, { what: `answer ${workflowId}`, command: `pml continue ${workflowId} ${word}` })
}

const LOCKED_WORKS = ', and the locked release stays in use'
const NOT_RUN = 'nothing was run; make the same call again'

async function acceptChange(
  parts: CallParts,
  approval: IntegrityApprovalRequired,
  operation: Operation,
): Promise<Fetched | Opened | Approval> {
  const name = approval.fqdn as Name
  const approved = changeIn(approval)
  const server = findLocalServer(name)
  if (server !== undefined) return openAsApproved(parts, server, approved)
  return fetchEntry(parts, { name, hash: undefined }, { approved, operation })
}

function notAnswerable({ workflowId, description }: Approval): PmlError {
  return new PmlError('invalid_arguments', `Cannot answer ${workflowId} with a yes: ${description}`)
}

/** Records a declined release, so that the locked one stays in use without another prompt. */
async function remember({ history }: CallParts, approval: Approval): Promise<boolean> {
  if (approval.approvalType !== 'integrity' || isLocal(approval.fqdn as Name)) return false
  const refused = approval.newIntegrity as Integrity
  await history.change(approval.fqdn as Name, ({ declined, earlier }) => ({
    declined: [refused, ...declined.filter((one) => one !== refused)],
    earlier,
  }))
  return true
}

/** Checks the types: answers may come from programs. */
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
  const files = approval.files as Readonly<Record<string, Integrity>> | undefined
  if (pkg === undefined) return { kind: 'command', commandLine, ...(files && { files }) }
  return { kind: 'pinned', package: pkg, version, lock: lockIntegrity as Integrity }
}
