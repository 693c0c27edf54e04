import { anythingBelow, hole, isKnown } from './holes.ts'
import { runText } from './nested-shells.ts'
import { readOptions } from './options.ts'
import type { OptionNames } from './options.ts'
import { below, wholePath } from './paths.ts'
import { NOTHING } from './shell.ts'
import type { Call, Program, Shell, Stream } from './shell.ts'

/** Programs that run the command in their words. */
export const WRAPPERS: Readonly<Record<string, Program>> = {
  sudo: peel({
    values: 'ugpCDhrtRTU',
    longValues: ['user', 'group', 'chdir', 'prompt', 'host', 'role', 'type'],
  }),
  doas: peel({ values: 'uaC' }),
  env,
  command: (shell, call) =>
    call.args.some((arg) => /^-[vV]+$/.test(arg)) ? undefined : peel({})(shell, call),
  builtin: peel({}),
  exec: peel({ values: 'a' }),
  noglob: peel({}),
  nohup: peel({}),
  unshare: peel({}),
  time: peel({ values: 'fo', longValues: ['format', 'output'] }),
  nice: peel({ values: 'n', longValues: ['adjustment'] }),
  ionice: peel({ values: 'cnp', longValues: ['class', 'classdata'] }),
  chrt: peel({ skip: 1 }),
  taskset: peel({ skip: 1 }),
  timeout: peel({ values: 'ks', longValues: ['kill-after', 'signal'], skip: 1 }),
  gtimeout: peel({ values: 'ks', longValues: ['kill-after', 'signal'], skip: 1 }),
  stdbuf: peel({ values: 'ioe', longValues: ['input', 'output', 'error'] }),
  unbuffer: peel({}),
  setsid: peel({}),
  caffeinate: peel({ values: 'tw' }),
  chroot: peel({ longValues: ['userspec', 'groups'], skip: 1 }),
  flock: peel({ values: 'wE', longValues: ['timeout', 'conflict-exit-code'], skip: 1 }),
  strace: peel({ values: 'eopsuaPIOSXE', longValues: ['output', 'trace'] }),
  watch: (shell, { args }) => {
    const { words } = readOptions(args, { values: 'n', longValues: ['interval'], stopsAtWord: true })
    return runText(shell, { text: words.join(' '), by: 'watch' })
  },
  busybox: peel({}),
  toybox: peel({}),
  xargs,
  parallel: xargs,
  npx: (shell, { args, stdin }) => packageManager(shell, { name: 'npm', args: ['exec', ...args], stdin }),
  uv: environment,
  poetry: environment,
  pipenv: environment,
  hatch: environment,
  conda: environment,
  bunx: peel({}),
  uvx: peel({ longValues: ['from', 'with', 'python'] }),
  npm: packageManager,
  pnpm: packageManager,
  yarn: packageManager,
  find,
  fd: (shell, { args }) => {
    const at = args.findIndex((arg) => /^(?:-x|-X|--exec|--exec-batch)$/.test(arg))
    return at < 0 ? undefined : runFor(shell, args.slice(at + 1), ['{}', '{/}', '{//}', '{.}', '{/.}'])
  },
}

/** Options first, then perhaps words of its own (`timeout 5`), then the command. */
function peel({ skip = 0, ...names }: OptionNames & { skip?: number }): Program {
  return (shell, { args, stdin }) => {
    const { words } = readOptions(args, { ...names, stopsAtWord: true })
    let at = skip
    while (/^[a-z_]\w*=/i.test(words[at] ?? '')) at++
    return words.length > at ? shell.run(words.slice(at), stdin) : NOTHING
  }
}

/** `poetry run python …` */
function environment(shell: Shell, { args, stdin }: Call): Stream {
  const [verb, ...rest] = args
  if (verb !== 'run') return undefined
  return peel({ values: 'np', longValues: ['name', 'prefix', 'with', 'python', 'env-file'] })(shell, {
    name: verb,
    args: rest,
    stdin,
  })
}

function env(shell: Shell, { args, stdin }: Call): Stream {
  const { words, find } = readOptions(args, {
    values: 'uCSP',
    longValues: ['unset', 'chdir', 'split-string'],
    stopsAtWord: true,
  })
  const command = words.findIndex((word) => !/^[a-z_]\w*=/i.test(word))
  return shell.inSubshell(() => {
    const { scope } = shell
    for (const word of command < 0 ? words : words.slice(0, command)) {
      const equals = word.indexOf('=')
      scope.variables.set(word.slice(0, equals), word.slice(equals + 1))
    }
    const folder = find('C', 'chdir')
    if (folder !== undefined) scope.folders = scope.folders.map((from) => wholePath(from, folder))
    const text = find('S', 'split-string')
    if (text !== undefined) return runText(shell, { text: [text, ...words].join(' '), by: 'env' })
    return command < 0 ? undefined : shell.run(words.slice(command), stdin)
  })
}

/** The words come from a pipe: those that `echo` or `printf` give are known. */
function xargs(shell: Shell, { args, stdin, name }: Call): Stream {
  const { words, find } = readOptions(args, {
    values: 'IiEdLnPsaj',
    longValues: [
      'replace',
      'delimiter',
      'max-args',
      'max-lines',
      'max-procs',
      'arg-file',
      'max-chars',
      'jobs',
    ],
    stopsAtWord: true,
  })
  const isParallel = name === 'parallel'
  const separator = words.findIndex((word) => /^:::+$/.test(word))
  const command = isParallel && separator >= 0 ? words.slice(0, separator) : words
  const given = isParallel && separator >= 0 ? words.slice(separator + 1) : inputWords(stdin)
  const place = find('I', 'i', 'replace') || (isParallel ? '{}' : undefined)
  const [first, ...rest] = command
  if (first === undefined) return undefined
  if (place !== undefined) {
    const inputs = given ?? [hole('…')]
    for (const input of inputs.slice(0, 100)) {
      const filled = command.map((word) => word.replaceAll(place, () => input))
      const added = isParallel && !command.some((word) => word.includes(place)) ? [input] : []
      const line = [...filled, ...added]
      if (isParallel) runText(shell, { text: line.join(' '), by: 'parallel' })
      else shell.run(line, NOTHING)
    }
    return undefined
  }
  return shell.run([first, ...rest, ...(given ?? [hole('…')])], NOTHING)
}

function inputWords(stdin: Stream): readonly string[] | undefined {
  if (!stdin || !('text' in stdin)) return undefined
  return stdin.text.split(/[\s\0]+/).filter((word) => word !== '')
}

/** `npm exec -- cmd` and `pnpm exec cmd`; a script of package.json is not looked into. */
function packageManager(shell: Shell, { args, stdin }: Call): Stream {
  const { words } = readOptions(args, {
    values: 'CFw',
    longValues: ['filter', 'dir', 'prefix', 'workspace'],
    stopsAtWord: true,
  })
  if (!/^(?:exec|x|dlx)$/.test(words[0] ?? '')) return undefined
  const call = readOptions(words.slice(1), {
    values: 'pc',
    longValues: ['package', 'call'],
    stopsAtWord: true,
  })
  const text = call.find('c', 'call')
  if (text !== undefined) return runText(shell, { text, by: 'npm' })
  return call.words.length > 0 ? shell.run(call.words, stdin) : undefined
}

function find(shell: Shell, { args }: Call): Stream {
  const expression = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLPO]/.test(arg))
  const roots = args.slice(0, expression < 0 ? args.length : expression).filter((arg) => !arg.startsWith('-'))
  const from = roots.length === 0 ? ['.'] : roots
  const found = from.flatMap((root) => namesIn(args).map((name) => below(root, anythingBelow(name))))
  for (const [at, arg] of args.entries()) {
    if (arg === '-delete') for (const path of found) shell.write(path, { kind: 'deleted' })
    if (/^-f(?:print0?|printf|ls)$/.test(arg)) {
      shell.write(args[at + 1] ?? '', { kind: 'unknown', why: 'find lists there what it finds' })
    }
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(arg)) continue
    const rest = args.slice(at + 1)
    const end = rest.findIndex((word, index) => word === ';' || (word === '+' && rest[index - 1] === '{}'))
    const command = end < 0 ? rest : rest.slice(0, end)
    for (const path of found)
      runFor(
        shell,
        command.map((word) => word.replaceAll('{}', () => path)),
        [],
      )
  }
  return undefined
}

/** `-name '*.ts'`, each of them; anything where no name is asked for. */
function namesIn(args: readonly string[]): readonly string[] {
  // There is nothing in them that could be missed.
  if (args.includes('-empty')) return []
  const names = args.flatMap((arg, at) => {
    const name = args[at + 1]
    return /^-i?name$/.test(arg) && name !== undefined && isKnown(name) ? [`/${name}`] : []
  })
  return names.length === 0 ? [''] : [...new Set(names)]
}

/** Runs a command for something that is only known then. */
function runFor(shell: Shell, words: readonly string[], places: readonly string[]): Stream {
  const filled = words
    .filter((word) => word !== ';')
    .map((word) => places.reduce((text, place) => text.replaceAll(place, () => hole(place)), word))
  return filled.length > 0 && isKnown(filled[0] ?? '')
    ? shell.inSubshell(() => shell.run(filled, NOTHING))
    : undefined
}
