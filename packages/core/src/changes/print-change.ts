import type { Change, CodeChange, FieldChange, PackageChanges } from './change.ts'
import { dangersOfChange, printDangers } from './dangers.ts'
import { cutAround, cutLines, shortenBlankLines } from './cut.ts'
import { printValues } from './print-values.ts'
import { shortenBlanks, showInvisible } from './show-invisible.ts'

/** In total 400 lines and 40 kB. Each part has its own share, so none can hide another. */
const shares = {
  warnings: { lines: 40, bytes: 8000 },
  fields: { lines: 100, bytes: 10_000 },
  packages: { lines: 100, bytes: 8000 },
  code: { lines: 150, bytes: 13_500 },
}
const LONGEST_LINE = 1000

/** Plain text for a terminal or an agent, the same for the same change. */
export function printChange(change: Change): string {
  const { warnings, fields, packages, code } = change
  const packageLines = packages ? linesOfPackages(packages) : []
  const codeLines = code ? linesOfCode(code) : []
  const parts = [
    printDangers(dangersOfChange(change)),
    section('Look at this:', cutLines(warnings, { ...shares.warnings, print: printWarning })),
    section('Fields:', cutLines(fields, { ...shares.fields, print: printField })),
    section('Packages:', cutLines(packageLines, { ...shares.packages, print: oneLine })),
    section(code ? codeTitle(code) : '', cutLines(codeLines, { ...shares.code, print: showInvisible })),
  ].filter((lines) => lines.length > 0)
  return parts.length === 0 ? 'Nothing changed\n' : `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines]
}

function printWarning(warning: string): string {
  return `  ! ${oneLine(warning)}`
}

function printField({ path, before, after }: FieldChange): string {
  const sign = before === undefined ? '+' : after === undefined ? '-' : '~'
  return `  ${sign} ${oneLine(path)}: ${printValues(before, after)}`
}

function linesOfPackages({ added, removed, bumped, rehashed, installScripts }: PackageChanges): string[] {
  return [
    ...rehashed.map(
      (change) => `  ! ${change.location} ${change.after} has other bytes under the same version`,
    ),
    ...bumped.map((change) => `  ~ ${change.location} ${change.before} -> ${change.after}`),
    ...added.map((change) => `  + ${change.location} ${change.after}`),
    ...removed.map((change) => `  - ${change.location} ${change.before}`),
    ...installScripts.map((location) => `  has an install script: ${location}`),
  ]
}

/** Prints the diff for a person, also outside of a whole change. */
export function linesOfCode({ unified }: Pick<CodeChange, 'unified'>): string[] {
  return shortenBlankLines(unified.replace(/\n$/, '').split('\n')).map(shortenBlanks)
}

function codeTitle({ added, removed }: CodeChange): string {
  return `Code: ${added} ${added === 1 ? 'line' : 'lines'} added, ${removed} removed`
}

/** Escapes untrusted changes: nothing in them can look like a line of its own. */
export function oneLine(text: string): string {
  return showInvisible(shortenBlanks(cutAround(text, { at: 0, most: LONGEST_LINE })))
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\u{d}')
}
