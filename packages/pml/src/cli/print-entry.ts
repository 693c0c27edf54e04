import { heading, printable, printRows, wrap, type Layout } from '@pml/tools/cli'
import type { ShownEntry, ShownTool } from '../commands/show-entry.ts'

/** `pml catalog show` as a person reads it. */
export function printEntry(entry: ShownEntry, layout: Layout): string {
  const { fqdn, type, routing, description, locked, runs, needs, keepsDataIn, tools } = entry
  const rows: [string, string][] = [
    ['name', fqdn],
    ['type', `${type}, routing ${routing}`],
    ...(description === '' ? [] : [['about', description] as [string, string]]),
    ['runs', runs],
    [
      'needs',
      needs.map(({ variable, isSet }) => `${variable} (${isSet ? 'set' : 'not set'})`).join(', ') ||
        'nothing',
    ],
    ...(keepsDataIn === null ? [] : [['data', keepsDataIn] as [string, string]]),
    ['locked', locked ? 'yes' : 'no'],
  ]
  const listed = tools.flatMap((tool) => ['', ...printTool(tool, layout)])
  const head = tools.length === 0 ? [] : ['', heading(`${tools.length} tools:`, layout)]
  return `${[...printRows(rows, layout), ...head, ...listed].join('\n')}\n`
}

const WIDEST = 100

function printTool({ name, description, arguments: args }: ShownTool, layout: Layout): string[] {
  const room = Math.min(layout.width ?? WIDEST, WIDEST) - 4
  const about = wrap(description, room).map((line) => `    ${line}`)
  const rows = (args ?? []).map(({ name: argument, type, required, description: text }): [string, string] => [
    `  ${printable(argument)} <${printable(type)}>`,
    [required ? '(required)' : '', text].filter(Boolean).join(' '),
  ])
  return [`  ${heading(printable(name), layout)}`, ...about, ...printRows(rows, layout)]
}

export interface Finding {
  readonly check: string
  readonly isOk?: boolean
  readonly level?: 'ok' | 'warning' | 'error'
  readonly message: string
}

/** What a doctor found, with every cure whole. */
export function printFindings(findings: readonly Finding[], layout: Layout): string {
  const rows = findings.map(({ check, isOk, level = isOk ? 'ok' : 'error', message }): [string, string] => [
    `${level.padEnd('warning'.length)}  ${printable(check)}`,
    message,
  ])
  return `${printRows(rows, layout).join('\n')}\n`
}
