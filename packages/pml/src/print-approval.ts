import { showInvisible } from '@pml/core/show-invisible'
import type { Approval } from './approvals/approval.ts'

/** An approval as a person reads it: whoever wrote its parts can hide nothing in them. */
export function printApproval(approval: Approval): string {
  return `${showInvisible([approval.description, '', ...detailsOf(approval), ''].join('\n'))}\n`
}

function detailsOf(approval: Approval): string[] {
  switch (approval.approvalType) {
    case 'integrity':
      return [`locked   ${approval.oldIntegrity}`, `current  ${approval.newIntegrity}`, '', approval.diff]
    case 'dependency':
      return [
        `command  ${approval.commandLine}`,
        ...(approval.installScripts?.length
          ? [`install scripts that are not run: ${approval.installScripts.join(', ')}`]
          : []),
      ]
    case 'api_key_required':
      return approval.missing.map((name) => `missing  ${name}`)
    case 'tool_permission':
      return [`tool       ${approval.tool}`, `arguments  ${JSON.stringify(approval.arguments)}`]
  }
}

/** What to type where nobody can be asked. */
export function printHowToContinue({ workflowId, expiresAt }: Approval): string {
  return `Answer before ${expiresAt}: pml continue ${workflowId} --approve (or --reject)\n`
}
