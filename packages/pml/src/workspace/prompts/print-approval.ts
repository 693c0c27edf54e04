import { findNamedSecret, findSecret } from '@pml/core/secret-literals'
import { shortenBlanks, showInvisible } from '@pml/core/show-invisible'
import type { Approval } from '../../api/approval.ts'

/** A prompt as text for a person. Invisible characters are shown, so nothing can be hidden in it. */
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
        ...Object.entries(approval.files ?? {}).map(([path, integrity]) => `file     ${path} ${integrity}`),
        ...(approval.diff === undefined ? [] : ['', approval.diff]),
        ...(approval.installScripts?.length
          ? [`install scripts that are not run: ${approval.installScripts.join(', ')}`]
          : []),
      ]
    case 'api_key_required':
      return approval.missing.map((name) => `missing  ${name}`)
    case 'tool_permission':
      return [
        `tool       ${approval.tool}`,
        `arguments  ${shortenBlanks(JSON.stringify(approval.arguments))}`,
        ...(approval.lockedIntegrity === undefined ? [] : [`locked     ${approval.lockedIntegrity}`]),
      ]
  }
}

/** How to answer the prompt with a command. */
export function printHowToContinue(approval: Approval): string {
  const { workflowId, expiresAt, approvalType } = approval
  if (approvalType === 'api_key_required') return ''
  return `Answer before ${expiresAt}: pml continue ${workflowId} --approve (or --reject); then run it again\n`
}

/** The most that an agent should read for one refusal. */
const MOST_CHARACTERS = 16_000

/**
 * The prompt for an agent without a dialog, to be passed on to a person. Foreign text is quoted with a bar on every line, so
 * that it cannot pass for a message of pml.
 */
export function printForAgent(approval: Approval): string {
  const { workflowId, expiresAt, approvalType, fqdn } = approval
  const whole = printWithoutOthers(approval).trimEnd()
  const rest = whole.length - MOST_CHARACTERS
  const lines = (rest > 0 ? whole.slice(0, MOST_CHARACTERS) : whole).split(/\r?\n/)
  return [
    `Nothing was run: ${reasons[approvalType]} (${fqdn}).`,
    '',
    ...lines.map((line) => `| ${line}`.trimEnd()),
    ...(rest > 0 ? [`… and ${rest} more characters: "pml continue ${workflowId}" shows all of it`] : []),
    '',
    approvalType === 'api_key_required'
      ? `Question ${workflowId}. There is nothing to approve: ask the person to set it, then make the same call again.`
      : `Question ${workflowId}, open until ${expiresAt}. Only a person may answer it: "${commandFor(workflowId)}" (or --reject) in a terminal of this workspace. Then make the same call again: it passes once.`,
  ].join('\n')
}

/** Hides secrets in arguments, and names only the kinds of a change: its texts could be instructions to the agent. */
function printWithoutOthers(approval: Approval): string {
  if (approval.approvalType === 'tool_permission') return printApproval(withoutSecrets(approval))
  if (approval.approvalType !== 'integrity') return printApproval(approval)
  const { findings = [], workflowId } = approval
  const kinds = [...new Set(findings.map(({ kind, severity }) => `${kind} (${severity})`))]
  const changed = kinds.length === 0 ? '' : `changed  ${kinds.join(', ')}\n`
  return printApproval({
    ...approval,
    diff: `${changed}What is different is not shown here: "pml continue ${workflowId}" shows it to the person`,
  })
}

const reasons = {
  integrity: 'this is not what was locked, and a person must see the difference first',
  dependency: 'a person must agree to what is installed or started',
  api_key_required: 'a variable is missing',
  tool_permission: 'a person must permit this call',
} as const

/**
 * The same as data. Changed texts of a server and of its files are only in the quoted difference: an agent could take them
 * for instructions.
 */
export function factsForAgent(approval: Approval): Record<string, unknown> {
  if (approval.approvalType === 'tool_permission') return { ...withoutSecrets(approval) }
  if (approval.approvalType === 'dependency') {
    const { diff: _shown, ...facts } = approval
    return facts
  }
  if (approval.approvalType !== 'integrity') return { ...approval }
  const { change: _change, diff: _diff, findings = [], ...facts } = approval
  return { ...facts, findings: findings.map(({ kind, severity }) => ({ kind, severity })) }
}

export function commandFor(workflowId: string): string {
  return `pml continue ${workflowId} --approve`
}

function withoutSecrets<Asked extends { readonly arguments: Readonly<Record<string, unknown>> }>(
  asked: Asked,
): Asked {
  return { ...asked, arguments: hidden('', asked.arguments) as Asked['arguments'] }
}

function hidden(name: string, value: unknown): unknown {
  if (typeof value === 'string') return hideText(name, value)
  if (Array.isArray(value)) return value.map((part) => hidden(name, part))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, hidden(key, part)]))
}

/** Word by word, so that a command cannot be hidden behind something that looks like a secret. */
function hideText(name: string, text: string): string {
  const kind = findNamedSecret(name, text)
  if (kind === undefined) return text
  if (findSecret(text) === undefined) return `(hidden: ${kind})`
  const words = text.replaceAll(/[^\s"'`,;&|<>(){}]+/g, (word) => {
    const found = findSecret(word)
    return found === undefined ? word : `(hidden: ${found})`
  })
  return words === text ? `(hidden: ${kind})` : words
}
