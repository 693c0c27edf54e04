import { runText } from './nested-shells.ts'
import { readOptions } from './words/options.ts'
import type { OptionNames } from './words/options.ts'
import { container, packageManager } from './package-runners.ts'
import { wholePath } from './words/paths.ts'
import { find, runFor, xargs } from './run-for-each.ts'
import { NOTHING } from './words/shell.ts'
import type { Call, Program, Shell, Stream } from './words/shell.ts'

/** Programs that run the command in their words. */
export const WRAPPERS: Readonly<Record<string, Program>> = {
  sudo: peel({
    values: 'ugpCDhrtRTU',
    longValues: ['user', 'group', 'chdir', 'prompt', 'host', 'role', 'type'],
  }),
  doas: peel({ values: 'uaC' }),
  env,
  command: (shell, call) =>
    call.args.some((arg) => /^-[vV]+$/.test(arg)) ? undefined : pastFunction(shell, call),
  builtin: pastFunction,
  exec: peel({ values: 'a' }),
  noglob: peel({}),
  nohup: peel({}),
  unshare: peel({
    longValues: ['wd', 'root', 'setuid', 'setgid', 'map-user', 'map-group', 'propagation', 'setgroups'],
    values: 'RwSG',
  }),
  nsenter: peel({ values: 'tSG', longValues: ['target', 'setuid', 'setgid'] }),
  setpriv: peel({
    longValues: ['reuid', 'regid', 'groups', 'inh-caps', 'ambient-caps', 'bounding-set', 'securebits'],
  }),
  prlimit: peel({ values: 'p', longValues: ['pid'] }),
  setarch: (shell, call) =>
    peel({ skip: /^(?!-)(?:linux|x86|i[3-6]86|arm|aarch|uname)/.test(call.args[0] ?? '') ? 1 : 0 })(
      shell,
      call,
    ),
  linux32: peel({}),
  linux64: peel({}),
  i386: peel({}),
  x86_64: peel({}),
  choom: peel({ values: 'np', longValues: ['adjust', 'pid'] }),
  fakeroot: peel({ values: 'lsib', longValues: ['lib', 'faked'] }),
  runuser: peel({ values: 'u', longValues: ['user'] }),
  'ssh-agent': peel({ values: 'aEtPO' }),
  'dbus-run-session': peel({}),
  'xvfb-run': peel({ values: 'enfspw' }),
  firejail: peel({}),
  cgexec: peel({ values: 'g' }),
  'systemd-run': peel({
    values: 'pEM',
    longValues: ['unit', 'property', 'setenv', 'working-directory', 'slice'],
  }),
  'systemd-inhibit': peel({}),
  catchsegv: peel({}),
  valgrind: peel({}),
  perf: peel({ values: 'eo', skip: 1 }),
  hyperfine: (shell, { args }) => {
    const { words } = readOptions(args, {
      values: 'wrmMnpcL',
      longValues: ['warmup', 'runs', 'prepare', 'cleanup'],
    })
    for (const text of words) runText(shell, { text, by: 'hyperfine' })
    return undefined
  },
  time: (shell, call) => {
    const file = readOptions(call.args, {
      values: 'fo',
      longValues: ['format', 'output'],
      stopsAtWord: true,
    }).find('o', 'output')
    if (file !== undefined) shell.write(file, { kind: 'unknown', why: 'time is kept there' })
    return peel({ values: 'fo', longValues: ['format', 'output'] })(shell, call)
  },
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
  flock,
  strace: (shell, call) => {
    const names = { values: 'eopsuaPIOSXE', longValues: ['output', 'trace'] }
    const file = readOptions(call.args, { ...names, stopsAtWord: true }).find('o', 'output')
    if (file !== undefined) shell.write(file, { kind: 'unknown', why: 'strace keeps its log there' })
    return peel(names)(shell, call)
  },
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
  bundle: (shell, { args, stdin }) =>
    args[0] === 'exec' ? peel({})(shell, { name: 'exec', args: args.slice(1), stdin }) : undefined,
  pdm: environment,
  rye: environment,
  pixi: environment,
  docker: container,
  podman: container,
  nerdctl: container,
  'docker-compose': (shell, call) => container(shell, { ...call, args: ['compose', ...call.args] }),
  entr: peel({}),
  nodemon: (shell, { args }) => {
    const { find } = readOptions(args, { values: 'xwei', longValues: ['exec', 'watch', 'ext', 'ignore'] })
    const text = find('x', 'exec')
    return text === undefined ? undefined : runText(shell, { text, by: 'nodemon' })
  },
  direnv: (shell, { args, stdin }) =>
    args[0] === 'exec' ? peel({ skip: 1 })(shell, { name: 'exec', args: args.slice(1), stdin }) : undefined,
  'cross-env': peel({}),
  'env-cmd': peel({ values: 'fre' }),
  dotenv: peel({ values: 'epv' }),
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
    return at < 0
      ? undefined
      : runFor(shell, {
          words: args.slice(at + 1),
          places: ['{}', '{/}', '{//}', '{.}', '{/.}'],
          stdin: NOTHING,
        })
  },
}

/** `ls() { command ls --color; }` is not an endless recursion. */
function pastFunction(shell: Shell, call: Call): Stream {
  const { functions } = shell.scope
  const word = call.args.find((arg) => !arg.startsWith('-')) ?? ''
  const body = functions.get(word)
  functions.delete(word)
  const stream = peel({})(shell, call)
  if (body && !functions.has(word)) functions.set(word, body)
  return stream
}

/** Options, then perhaps words of its own (`timeout 5`), then the command. */
function peel({ skip = 0, ...names }: OptionNames & { skip?: number }): Program {
  return (shell, { args, stdin }) => {
    const { words } = readOptions(args, { ...names, stopsAtWord: true })
    let at = skip
    while (/^[a-z_]\w*=/i.test(words[at] ?? '')) at++
    return words.length > at ? shell.run(words.slice(at), stdin) : NOTHING
  }
}

/** `flock file cmd` or `flock file -c 'cmd'` */
function flock(shell: Shell, call: Call): Stream {
  const names = { values: 'wE', longValues: ['timeout', 'conflict-exit-code'], stopsAtWord: true }
  const { words } = readOptions(call.args, names)
  const [, option = '', text = ''] = words
  if (/^-c$|^--command$/.test(option)) return runText(shell, { text, by: 'flock', stdin: call.stdin })
  return peel({ ...names, skip: 1 })(shell, call)
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
  // A lone dash is `-i`.
  const command = words.findIndex((word) => word !== '-' && !/^[a-z_]\w*=/i.test(word))
  return shell.inSubshell(() => {
    const { scope } = shell
    for (const word of command < 0 ? words : words.slice(0, command)) {
      const equals = word.indexOf('=')
      if (equals < 0) continue
      scope.variables.set(word.slice(0, equals), word.slice(equals + 1))
    }
    const folder = find('C', 'chdir')
    if (folder !== undefined) scope.folders = scope.folders.map((from) => wholePath(from, folder))
    const text = find('S', 'split-string')
    if (text !== undefined) return runText(shell, { text: [text, ...words].join(' '), by: 'env', stdin })
    return command < 0 ? undefined : shell.run(words.slice(command), stdin)
  })
}
