import type { Assignment, Command } from 'unbash'
import { hole, isKnown, knownTail, readable } from './words/holes.ts'
import { STEERING } from './words/known-readers.ts'
import { readRedirects, withInput } from './words/redirects.ts'
import { NOTHING } from './words/shell.ts'
import type { Shell, Stream } from './words/shell.ts'
import { expandText, expandWord, readSubstitutions } from './words/words.ts'

/** One command with its assignments and redirections. */
export function runSimple(shell: Shell, command: Command, stdin: Stream): Stream {
  const words = command.name ? [...expandWord(shell, command.name)] : []
  for (const arg of command.args) words.push(...argument(shell, arg))
  const { redirects } = command
  const input = withInput(shell, redirects, stdin)
  const assignments = command.prefix.filter((part) => part.type === 'Assignment')
  if (words.length === 0) {
    for (const assignment of assignments) {
      assign(shell, assignment)
      steer(shell, assignment.name)
    }
    // `$(< file)` is the content of the file.
    const isRead = redirects.length === 1 && redirects[0]?.operator === '<'
    return readRedirects(shell, redirects, isRead ? input : NOTHING)
  }
  const output = withVariables(shell, assignments, () => shell.run(words, input))
  // `exec > a.js` redirects all later output.
  return readRedirects(shell, redirects, words.length === 1 && words[0] === 'exec' ? undefined : output)
}

/** `export F=a.js`: an assignment argument is expanded like an assignment. */
function argument(shell: Shell, arg: Command['args'][number]): readonly string[] {
  if (arg.type === 'Word') return expandWord(shell, arg)
  return [`${arg.name}=${assigned(shell, arg)}`]
}

function assign(shell: Shell, assignment: Assignment): void {
  const { name, append, index } = assignment
  const value = assigned(shell, assignment)
  // Commands in an index or a prompt run when it is expanded.
  if (/\$\(|`/.test(readable(value)) && isKnown(value)) shell.act('the shell', [value])
  const before = shell.scope.variables.get(name)
  if (index) shell.scope.variables.set(name, hole(`$${name}`))
  else if (append) shell.scope.variables.set(name, (before ?? hole(`$${name}`)) + value)
  else shell.scope.variables.set(name, value)
}

function assigned(shell: Shell, { value, text }: Assignment): string {
  if (value.type === 'Word') return expandText(shell, value)
  readSubstitutions(shell, value)
  return hole(text)
}

/** `F=a.js command` applies to that command only. */
function withVariables(shell: Shell, assignments: readonly Assignment[], run: () => Stream): Stream {
  if (assignments.length === 0) return run()
  const { variables } = shell.scope
  const before = new Map(variables)
  for (const assignment of assignments) {
    assign(shell, assignment)
    steer(shell, assignment.name)
  }
  const stream = run()
  for (const { name } of assignments) {
    const value = before.get(name)
    if (value === undefined) variables.delete(name)
    else variables.set(name, value)
  }
  return stream
}

/** `GIT_TRACE=$PWD/a git status` writes to the file in a variable. */
function steer(shell: Shell, name: string): void {
  if (STEERING.test(name)) shell.act(name, [shell.scope.variables.get(name) ?? ''])
}

/** The plain name of a program: `/usr/bin/cat`, `CAT`, `cat.exe` and `$VENV/bin/cat` are `cat`. */
export function programName(word: string): string | undefined {
  const tail = knownTail(word)
  if (!isKnown(word) && !tail.includes('/')) return undefined
  const path = tail.replaceAll('\\', '/')
  const isInstalled = /(?:^|\/)\.?s?bin\/[^/]+$/.test(path) || !path.includes('/')
  return isInstalled ? path.slice(path.lastIndexOf('/') + 1).replace(/\.exe$/i, '') : readable(word)
}
