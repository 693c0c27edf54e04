import { printable, type Program } from '@pml/tools/cli'
import type { Approval } from './approvals/approval.ts'
import { printApproval, printHowToContinue } from './print-approval.ts'

/** What a person sees of outputs that a table would make hard to read; undefined for all others. */
export const printForPerson: NonNullable<Program['print']> = (name, output) => {
  if (output['approvalRequired'] === true) {
    const approvals = (output['approvals'] ?? [output]) as Approval[]
    return approvals.map((approval) => printApproval(approval) + printHowToContinue(approval)).join('\n')
  }
  if (name === 'pml_run' || name === 'pml_continue')
    return 'result' in output ? printResult(output['result']) : undefined
  return name === 'cache_dir' ? `${String(output['path'])}\n` : undefined
}

function printResult(result: unknown): string {
  return `${printable(typeof result === 'string' ? result : JSON.stringify(result, null, 2))}\n`
}
