import { printFqdn, type Name, type Reference, type ToolName, type Verdict } from '@pml/core'
import type { Approval, Operation, Question } from '../api/approval.ts'
import type { ApprovedChange } from '../registry/fetch-entry.ts'
import type { CallLimits, CallParts } from './call-parts.ts'

export interface CallRequest extends CallLimits {
  /** `ns:action`, or the name of an entry that is one tool. */
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** The entry for which a person has approved this call. */
  readonly permitted?: Name | undefined
  readonly approved?: ApprovedChange | undefined
}

/** A granted permission. A one-time yes is spent last, just before the call. */
export interface Permission {
  /** Uses up a one-time yes. Returns a new prompt if another process has used it. */
  spend(): Promise<Approval | undefined>
}

export const freely: Permission = { spend: () => Promise.resolve(undefined) }

interface Permitting {
  readonly verdict: Verdict
  /** The entry that a person has approved. */
  readonly permitted: Name | undefined
  readonly name: Name
  readonly operation: Operation
  /** The prompt if no rule decides. */
  question(): Promise<PermissionQuestion>
}

export type PermissionQuestion = Extract<Question, { approvalType: 'tool_permission' }>

/** Finds permission in a rule, in the answer being resumed, or in a stored yes to exactly this; otherwise asks a person. */
export async function findPermission(
  { approvals }: Pick<CallParts, 'approvals'>,
  { verdict, permitted, name, operation, ...asking }: Permitting,
): Promise<Permission | Approval> {
  if (verdict !== 'ask' || permitted === name) return freely
  const question = await asking.question()
  // A yes from before the entry was locked counts for the entry that this call locked.
  const { lockedIntegrity: _locked, ...before } = question
  for (const asked of [question, before])
    if (await approvals.isGranted(asked, operation))
      return {
        spend: async () =>
          (await approvals.spend(asked, operation)) ? undefined : approvals.ask(question, operation),
      }
  return approvals.ask(question, operation)
}

export async function permissionQuestion(
  { lock }: Pick<CallParts, 'lock'>,
  { name, hash }: Reference,
  { tool, args }: { tool: ToolName; args: CallRequest['args'] },
): Promise<PermissionQuestion> {
  const what = hash === undefined ? name : printFqdn(name, hash)
  const locked = (await lock.read()).entries.get(name)
  return {
    approvalType: 'tool_permission',
    fqdn: name,
    tool,
    arguments: args,
    ...(locked && { lockedIntegrity: locked.integrity }),
    description: `Permission to run ${tool} (${what}) once with these arguments. No allow rule in .pml.json covers it.`,
  }
}
