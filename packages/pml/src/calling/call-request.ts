import { printFqdn, type Name, type Reference, type ToolName } from '@pml/core'
import type { ApprovedChange } from '../fetching/fetch-entry.ts'
import type { CallLimits } from './call-parts.ts'

export interface CallRequest extends CallLimits {
  /** `ns:action`, or the name of an entry that is one tool. */
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** The entry for which a person has said yes to this call. */
  readonly permitted?: Name | undefined
  readonly approved?: ApprovedChange | undefined
}

/** What a person is asked where no rule has decided. */
export function permissionQuestion({ name, hash }: Reference, tool: ToolName, args: CallRequest['args']) {
  const what = hash === undefined ? name : printFqdn(name, hash)
  return {
    approvalType: 'tool_permission',
    fqdn: name,
    tool,
    arguments: args,
    description: `Permission to run ${tool} (${what}) once with these arguments. No allow rule in .pml.json speaks of it.`,
  } as const
}
