import { hole } from '../words/holes.ts'
import { conductOf } from '../words/known-readers.ts'
import { noteConduct } from '../words/note-conduct.ts'
import { readOptions } from '../words/options.ts'
import { wholePath } from '../words/paths.ts'
import type { Call, Program, Shell, Stream } from '../words/shell.ts'
import { COPIERS } from './copying.ts'
import { readPatch } from './patches.ts'
import { REMOVERS } from './removing.ts'

export const GIT: Readonly<Record<string, Program>> = { git }

type Verb = (shell: Shell, args: readonly string[], stdin: Stream) => void

/** Only files named on the command line; the files of a merge or branch checkout are not determined. */
const VERBS: Readonly<Record<string, Verb>> = {
  checkout: (shell, args) => {
    const end = args.indexOf('--')
    const { words } = readOptions(args, { values: 'bB', longValues: ['conflict', 'orphan'] })
    restore(shell, end >= 0 ? args.slice(end + 1) : words.slice(1))
  },
  restore: (shell, args) => {
    const { words, find } = readOptions(args, { values: 's', longValues: ['source', 'conflict'] })
    if (find('S', 'staged') === undefined || find('W', 'worktree') !== undefined) restore(shell, words)
  },
  mv: (shell, args) => COPIERS['mv']?.(shell, { name: 'mv', args, stdin: undefined }),
  rm: (shell, args) => {
    if (!args.includes('--cached')) REMOVERS['rm']?.(shell, { name: 'rm', args, stdin: undefined })
  },
  clean: (shell, args) => {
    if (
      args.some((arg) => /^-[a-z]*f|^--force/.test(arg)) &&
      !args.some((arg) => /^-[a-z]*n|^--dry-run/.test(arg))
    ) {
      shell.write(hole('all that git does not track'), { kind: 'deleted' })
    }
  },
  apply: (shell, args, stdin) => applyPatch(shell, args, stdin),
  am: (shell, args, stdin) => applyPatch(shell, args, stdin),
  config: (shell, args) => {
    const command = args.find((arg) => arg.startsWith('!'))
    if (command !== undefined) shell.source(command.slice(1), undefined)
    const file = args[args.findIndex((arg) => arg === '-f' || arg === '--file') + 1]
    if (args.some((arg) => /^(?:-f|--file)$/.test(arg)) && file !== undefined) {
      shell.write(file, { kind: 'unknown', why: 'git changes it' })
    }
  },
  archive: outputOf,
  'format-patch': outputOf,
  diff: outputOf,
  show: outputOf,
  log: outputOf,
}

function git(shell: Shell, { args, stdin }: Call): Stream {
  const { words, all } = readOptions(args, {
    values: 'Cc',
    longValues: ['git-dir', 'work-tree', 'namespace'],
    stopsAtWord: true,
  })
  const [name = '', ...rest] = words
  for (const setting of all('c')) readAliasSetting(shell, setting)
  noteConduct(shell, conductOf('git', words), { name: 'git', args, stdin })
  const verb = VERBS[name]
  if (!verb) return undefined
  shell.inSubshell(() => {
    for (const folder of all('C'))
      shell.scope.folders = shell.scope.folders.map((from) => wholePath(from, folder))
    verb(shell, rest, stdin)
    return undefined
  })
  return undefined
}

/** `git -c alias.x='!cmd' x` runs a command. */
function readAliasSetting(shell: Shell, setting: string): void {
  const command = /^(?:alias\.[^=]+=!|[^=]+=)([^]*\s[^]+)$/i.exec(setting)?.[1]
  if (command !== undefined) shell.source(command, undefined)
}

function restore(shell: Shell, files: readonly string[]): void {
  for (const file of files) shell.write(file, { kind: 'unknown', why: 'git brings back what it has kept' })
}

function applyPatch(shell: Shell, args: readonly string[], stdin: Stream): void {
  const { words, find } = readOptions(args, {
    values: 'pC',
    longValues: ['directory', 'exclude', 'include', 'whitespace'],
  })
  if (find('check', 'stat', 'numstat', 'summary', 'abort', 'continue', 'skip', 'quit') !== undefined) return
  if (find('cached') !== undefined) return
  const file = words.find((word) => word !== '-')
  readPatch(shell, {
    patch: file === undefined ? stdin : readKept(shell, file),
    files: [],
    strip: Number(find('p') ?? 1),
    folder: find('directory'),
  })
}

function readKept(shell: Shell, file: string): Stream {
  const path = wholePath(shell.scope.folders[0], file)
  return path === undefined ? undefined : shell.files.get(path)
}

function outputOf(shell: Shell, args: readonly string[]): void {
  const output = readOptions(args, { values: '', longValues: ['output', 'output-directory'] }).find('output')
  if (output !== undefined) shell.write(output, { kind: 'unknown', why: 'git writes what it finds there' })
}
