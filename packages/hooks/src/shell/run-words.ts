import { BUILTINS } from './builtins.ts'
import { INTERPRETERS } from './code/interpreters.ts'
import { hole, isKnown, readable } from './words/holes.ts'
import { conductOf, moduleConduct } from './words/known-readers.ts'
import { NESTED_SHELLS, readScriptFile } from './nested-shells.ts'
import { noteConduct } from './words/note-conduct.ts'
import { PRINTERS } from './printers.ts'
import { runFunction } from './run-script.ts'
import { programName } from './run-simple.ts'
import type { Program, Shell, Stream } from './words/shell.ts'
import { WRAPPERS } from './wrappers.ts'
import { ARCHIVERS } from './writers/archives.ts'
import { COPIERS } from './writers/copying.ts'
import { DOWNLOADERS } from './writers/downloads.ts'
import { EDITORS } from './writers/editing.ts'
import { GIT } from './writers/git.ts'
import { REMOVERS } from './writers/removing.ts'
import { SAVERS } from './writers/saving.ts'

const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  [
    BUILTINS,
    PRINTERS,
    COPIERS,
    SAVERS,
    REMOVERS,
    EDITORS,
    DOWNLOADERS,
    ARCHIVERS,
    GIT,
    INTERPRETERS,
    NESTED_SHELLS,
    WRAPPERS,
  ].flatMap((programs) => Object.entries(programs)),
)

/** Dispatches a command to its reader; unknown programs are not read. */
export function runWords(shell: Shell, words: readonly string[], stdin: Stream): Stream {
  const [word = '', ...args] = words
  const { scope } = shell
  const alias = scope.aliases.get(word)
  const body = scope.functions.get(word)
  const hidden = PROGRAMS.has(word)
  // `\cp`, `command cp` and shells without aliases skip an alias with the name of a program, so both are read.
  if (alias !== undefined) {
    const stream = runAlias(shell, { word, alias, args, stdin })
    if (!hidden) return stream
  }
  if (body) {
    shell.called.add(body)
    const stream = runFunction(shell, body, { args, stdin })
    if (!hidden) return stream
  }
  const name = programName(word)
  if (name === undefined) {
    // `$PYTHON -m pytest`
    if (args[0] === '-m' && moduleConduct(args[1] ?? '', args.slice(2)) === 'reads') return undefined
    shell.unknown(`Which program "${readable(word)}" is, is only known when it is run`)
    return undefined
  }
  if (args.length === 1 && /^--(?:version|help)$/.test(args[0] ?? '')) return undefined
  const program = PROGRAMS.get(name) ?? PROGRAMS.get(name.toLowerCase()) ?? PROGRAMS.get(unversioned(name))
  if (program) return program(shell, { name: unversioned(name.toLowerCase()), args, stdin })
  const stream = readScriptFile(shell, { word, args, stdin })
  if (!stream)
    noteConduct(shell, isMadeHere(shell, name) ? 'acts' : conductOf(name, args), { name: word, args, stdin })
  return stream
}

/** A program that this command line wrote under a known program's name. */
function isMadeHere({ files }: Shell, name: string): boolean {
  return [...files.keys()].some((path) => path.endsWith(`/${name}`))
}

/** `python3.12` is `python3`. */
function unversioned(name: string): string {
  return /^(?:python|pypy|perl|ruby|php|lua|node)/.test(name) ? name.replace(/[\d.]+$/, '') : name
}

function runAlias(
  shell: Shell,
  { word, alias, args, stdin }: { word: string; alias: string; args: readonly string[]; stdin: Stream },
): Stream {
  const text = [
    alias,
    ...args.map((arg) => (isKnown(arg) ? `'${arg.replaceAll("'", `'\\''`)}'` : '"$@"')),
  ].join(' ')
  return shell.inSubshell(() => {
    // An alias is not expanded again in its own text.
    shell.scope.aliases.delete(word)
    if (args.some((arg) => !isKnown(arg))) shell.scope.args = [hole(args.map(readable).join(' '))]
    return isKnown(alias) ? shell.source(text, stdin) : undefined
  })
}
