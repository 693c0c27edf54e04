import type { ApprovalReport, FlagList, SuggestionList } from '@pml/core/schemas'
import { printable, type Program } from '@pml/tools/cli'
import type { Approval } from '../api/approval.ts'
import type { SettingsChange } from '../agents/change-settings.ts'
import type { Validation } from '../servers/discover/validate-servers.ts'
import { printApproval, printHowToContinue } from '../workspace/prompts/print-approval.ts'
import { printEntry, printFindings, type Finding } from './print-entry.ts'
import { printServers, type ServerList } from '../commands/print-servers.ts'
import { printTrust, type Trust } from '../commands/print-trust.ts'
import { printValidation } from './print-validation.ts'
import type { Added } from '../calls/add-entries.ts'
import type { ShownEntry } from '../commands/show-entry.ts'
import { printFlags, printReport, printSuggestionList } from './print-report.ts'

/** What a person sees of outputs that a table would make hard to read; undefined for all others. */
export const printForPerson: NonNullable<Program['print']> = (name, output, layout) => {
  if (output['approvalRequired'] === true) {
    const approvals = (output['approvals'] ?? [output]) as Approval[]
    return approvals.map((approval) => printApproval(approval) + printHowToContinue(approval)).join('\n')
  }
  if (name === 'pml_continue' && typeof output['next'] === 'string') return `${printable(output['next'])}\n`
  if (name === 'pml_run' || name === 'pml_continue')
    return 'result' in output ? printResult(output['result']) : undefined
  if (name === 'pml_add') return printAdded(output['added'] as Omit<Added, 'warnings'>[])
  if (name === 'pml_show') return printEntry(output as unknown as ShownEntry, layout)
  if (name === 'pml_doctor' || name === 'hooks_doctor')
    return printFindings(output['findings'] as Finding[], layout)
  if (name === 'audit_report') return printReport(output as ApprovalReport, layout)
  if (name === 'audit_flags') return printFlags(output as FlagList, layout)
  if (name === 'pattern_suggest') return printSuggestionList(output as SuggestionList, layout)
  if (/^(?:hooks|client)_(?:un)?install$/.test(name)) return printChange(output as unknown as SettingsChange)
  if (name === 'server_list') return printServers(output as unknown as ServerList, layout)
  if (name === 'server_logs')
    return (output['lines'] as string[]).map((line) => `${printable(line)}\n`).join('')
  if (name === 'hooks_accept') return printAccepted(output as unknown as { accepted: readonly string[] })
  if (name === 'pml_trust') return printTrust(output as unknown as Trust)
  if (name === 'server_validate') return printValidation(output as unknown as Validation)
  return name === 'cache_dir' ? `${String(output['path'])}\n` : undefined
}

function printAdded(added: readonly Omit<Added, 'warnings'>[]): string {
  const line = ({ fqdn, type, rule }: Omit<Added, 'warnings'>) => `Added ${fqdn} (${type}), rule ${rule}\n`
  return printable(added.map(line).join(''))
}

function printResult(result: unknown): string {
  return `${printable(typeof result === 'string' ? result : JSON.stringify(result, null, 2))}\n`
}

/** The change as it is, which a table would fold. */
function printChange({ file, result, diff, notes }: SettingsChange): string {
  const told = result === 'unchanged' || result === 'declined' ? '' : `${printable(diff)}\n`
  return `${told}${[`${printable(file)}: ${result}`, ...notes.map(printable)].join('\n')}\n`
}

function printAccepted({ accepted }: { readonly accepted: readonly string[] }): string {
  if (accepted.length === 0) return 'No file was accepted: none is held here, or you said no\n'
  return `Accepted as they are now:\n${accepted.map((path) => `  ${printable(path)}\n`).join('')}`
}
