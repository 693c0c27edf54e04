import type { ApprovalReport, FlagList, SuggestionList } from '@pml/core/schemas'
import { printable, type Program } from '@pml/tools/cli'
import type { Approval } from './approvals/approval.ts'
import type { HookChange } from './hooks/install-hooks.ts'
import { printApproval, printHowToContinue } from './print-approval.ts'
import { printFlags, printReport, printSuggestionList } from './print-report.ts'

/** What a person sees of outputs that a table would make hard to read; undefined for all others. */
export const printForPerson: NonNullable<Program['print']> = (name, output, layout) => {
  if (output['approvalRequired'] === true) {
    const approvals = (output['approvals'] ?? [output]) as Approval[]
    return approvals.map((approval) => printApproval(approval) + printHowToContinue(approval)).join('\n')
  }
  if (name === 'pml_run' || name === 'pml_continue')
    return 'result' in output ? printResult(output['result']) : undefined
  if (name === 'audit_report') return printReport(output as ApprovalReport, layout)
  if (name === 'audit_flags') return printFlags(output as FlagList, layout)
  if (name === 'pattern_suggest') return printSuggestionList(output as SuggestionList, layout)
  if (name === 'hooks_install' || name === 'hooks_uninstall')
    return printHookChange(output as unknown as HookChange)
  return name === 'cache_dir' ? `${String(output['path'])}\n` : undefined
}

function printResult(result: unknown): string {
  return `${printable(typeof result === 'string' ? result : JSON.stringify(result, null, 2))}\n`
}

/** The change as it is, which a table would fold. */
function printHookChange({ file, result, diff, notes }: HookChange): string {
  const told = result === 'unchanged' || result === 'declined' ? '' : `${printable(diff)}\n`
  return `${told}${[`${printable(file)}: ${result}`, ...notes.map(printable)].join('\n')}\n`
}
