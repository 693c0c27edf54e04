import { printable } from '@pml/tools/cli'
import { printProblem } from '../servers/discover/discover-servers.ts'
import type { Validation } from '../servers/discover/validate-servers.ts'

/** A line for each problem and each warning, then how many there are. */
export function printValidation({ places, files, problems, warnings }: Validation): string {
  const told = problems.map(printProblem)
  const lines = [...told, ...warnings.map((warning) => `warning: ${warning}`), summaryOf(problems, files)]
  const looked = files.length === 0 ? ['Looked for in:', ...places.map((place) => `  ${place}`)] : []
  return `${[...lines, ...looked].map(printable).join('\n')}\n`
}

function summaryOf({ length: problems }: readonly unknown[], { length: files }: readonly unknown[]): string {
  if (files === 0) return 'No files that describe servers'
  const what = problems === 0 ? 'no problems' : countOf(problems, 'problem')
  return `${countOf(files, 'file')}, ${what}`
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
