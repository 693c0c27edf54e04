import { suggest } from '@pml/core/suggest'
import { invalidArguments } from '../check-values.ts'
import { printBashCompletions } from './complete-bash.ts'
import { type Completable, completionWordsOf, shells } from './completion-words.ts'
import { printFishCompletions } from './complete-fish.ts'
import { printZshCompletions } from './complete-zsh.ts'

const printers = { bash: printBashCompletions, fish: printFishCompletions, zsh: printZshCompletions }

/** Prints a static completion script for one shell. */
export function printCompletions([shell = '', ...more]: readonly string[], completable: Completable): string {
  const known = shells.find((name) => name === shell)
  if (known && more.length === 0)
    return printers[known](completable.program.name, completionWordsOf(completable))
  const near = suggest(shell, shells)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  const got = [shell, ...more].join(' ').slice(0, 60)
  const message = `expected one of ${shells.join(', ')}, got ${got === '' ? 'nothing' : `"${got}"`}${hint}`
  throw invalidArguments('completions', [{ path: ['shell'], message }])
}
