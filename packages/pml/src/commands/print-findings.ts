import { printable, printRows, type Layout } from '@pml/tools/cli'

interface Finding {
  readonly check: string
  readonly level: string
  readonly message: string
}

/** Prints the findings of a doctor. A table would cut the messages, which say how to fix them. */
export function printFindings(findings: readonly Finding[], layout: Layout): string {
  const rows = findings.map(({ check, level, message }): [string, string] => [
    `${level.padEnd('warning'.length)}  ${printable(check)}`,
    message,
  ])
  return `${printRows(rows, layout).join('\n')}\n`
}
