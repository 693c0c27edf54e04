import { hole, isKnown, patternOf } from './words/holes.ts'
import { runText } from './nested-shells.ts'
import { wholePath } from './words/paths.ts'
import { NOTHING } from './words/shell.ts'
import type { Call, Folder, Program, Shell, Stream } from './words/shell.ts'

/** Builtins that change the shell itself. */
export const BUILTINS: Readonly<Record<string, Program>> = {
  cd: (shell, { args }) => changeFolder(shell, folderWord(args)),
  chdir: (shell, { args }) => changeFolder(shell, folderWord(args)),
  pushd: (shell, { args }) => {
    shell.scope.stack = [...shell.scope.stack, shell.scope.folders[0]]
    return changeFolder(shell, folderWord(args))
  },
  popd: (shell) => {
    const folder = shell.scope.stack.at(-1)
    shell.scope.stack = shell.scope.stack.slice(0, -1)
    return changeFolder(shell, folder ?? hole('popd'))
  },
  export: declare,
  declare,
  local: declare,
  readonly: declare,
  typeset: declare,
  read: forget,
  mapfile: forget,
  readarray: forget,
  getopts: forget,
  let: forget,
  unset: forget,
  set: setOptions,
  shift: shiftArgs,
  alias: setAliases,
  hash: ({ scope }, { args }) => {
    const at = args.indexOf('-p')
    if (at >= 0) scope.aliases.set(args[at + 2] ?? '', args[at + 1] ?? '')
    return NOTHING
  },
  trap: (shell, { args, stdin }) => {
    const [action = ''] = args.filter((arg) => arg !== '--')
    return args.length < 2 || action === '-' || action.startsWith('-')
      ? NOTHING
      : runText(shell, { text: action, by: 'trap', stdin })
  },
}

function folderWord(args: readonly string[]): string {
  return args.filter((arg) => !/^-[LPe@n]+$/.test(arg) && arg !== '--')[0] ?? '~'
}

function changeFolder({ scope }: Shell, word: string): Stream {
  const { folders, former } = scope
  const home = scope.variables.get('HOME') ?? hole('~')
  const target = (folder: Folder) => {
    if (word === '-') return former
    if (/^[+-]\d+$/.test(word)) return undefined
    const path = word === '~' ? home : word
    return wholePath(folder, isKnown(path) ? path : (patternOf(path) ?? path))
  }
  scope.left = [...scope.left, ...folders]
  scope.former = folders.length === 1 ? folders[0] : undefined
  scope.folders = [...new Set(folders.map(target))]
  return NOTHING
}

function declare({ scope }: Shell, { args }: Call): Stream {
  for (const arg of args) {
    const match = /^([a-z_]\w*)=([^]*)$/i.exec(arg)
    if (match?.[1]) scope.variables.set(match[1], match[2] ?? '')
  }
  return NOTHING
}

function forget({ scope }: Shell, { args }: Call): Stream {
  for (const arg of args) {
    for (const name of arg.match(/[a-z_]\w*/gi) ?? []) {
      if (scope.variables.has(name)) scope.variables.set(name, hole(`$${name}`))
    }
  }
  return NOTHING
}

function setOptions({ scope }: Shell, { args }: Call): Stream {
  const end = args.indexOf('--')
  if (end >= 0) scope.args = args.slice(end + 1)
  const options = end < 0 ? args : args.slice(0, end)
  if (options.some((option) => /^-[a-z]*e/.test(option)) || options.includes('errexit'))
    scope.stopsOnError = true
  if (options.some((option) => /^\+[a-z]*e/.test(option))) scope.stopsOnError = false
  if (end < 0 && options[0] !== undefined && !/^[-+]/.test(options[0])) scope.args = options
  return NOTHING
}

function shiftArgs({ scope }: Shell, { args: [count = '1'] }: Call): Stream {
  scope.args = scope.args?.slice(Number(count) || 1)
  return NOTHING
}

function setAliases({ scope }: Shell, { args }: Call): Stream {
  for (const arg of args) {
    const equals = arg.indexOf('=')
    if (equals > 0) scope.aliases.set(arg.slice(0, equals), arg.slice(equals + 1))
  }
  return NOTHING
}
