import { isKnown, readable } from './words/holes.ts'
import { programName } from './run-simple.ts'
import { commandInContainer } from './session-containers.ts'
import { CARRIERS, usages, type Usage } from './session-programs.ts'
import type { Stream } from './words/shell.ts'

/** The number of words in which a command inside another command is searched. */
const MOST_WORDS = 50

/** Places from which typed input is read. */
const TYPED = /^\/(?:dev\/(?:stdin|tty\d*|console|pts\/\d+|fd\/\d+)|proc\/[^/]+\/fd\/\d+)$/

/** Commands of several words that open a shell unless they are given something to run. */
const OPENERS =
  /^(?:(?:\S*\/)?(?:python|php)[\d.]* )?(?:\S*\/)?(?:manage\.py (?:shell(?:_plus)?|dbshell)|artisan tinker|flask shell|aws ssm start-session|gcloud compute ssh|fly(?:ctl)? ssh console|(?:lxc|incus) shell)(?: |$)/

/** Reports whether this is the session's own input, into which the agent can type. */
export function isTyped(stdin: Stream): boolean {
  return stdin !== undefined && 'from' in stdin && TYPED.test(stdin.from)
}

/** Reports whether a command that reads the session's input would run commands from it. Unknown programs do not count. */
export function takesCommands(words: readonly string[]): boolean {
  const [word = '', ...args] = words
  const name = findName(word)
  if (name === undefined || asksForHelp(args)) return false
  if (isOpener(words)) return true
  if (CARRIERS.has(name) && carriesOne(args)) return true
  if (/^(?:g|r)?(?:vim?|nvim|view|ex|vimdiff)$/.test(name)) return !endsByItself(args)
  if (/^(?:docker|podman|nerdctl|kubectl|oc|lxc|incus|(?:docker|podman)-compose)$/.test(name)) {
    const command = commandInContainer(name, args)
    if (command) return command.length === 0 || carriesOne(command)
  }
  if (name === 'socat') return args.some((arg) => /^(?:-|stdio|stdin|readline|fd:0)\b|^-$/i.test(arg))
  if (/^(?:tmux|byobu)$/.test(name) && args.some((arg) => /^(?:a|at|attach(?:-session)?)$/.test(arg)))
    return true
  if (/^mongo(?:sh)?$/.test(name) && args.some((arg) => arg.endsWith('.js'))) return args.includes('--shell')
  if (name === 'deno' && args.some(isInput)) return true
  if (name === 'bun') return /^(?:repl|-)$/.test(args[0] ?? '')
  if (name === 'parallel') return !args.some((arg) => /^:::|^-a$|^--arg-file/.test(arg))
  if (name === 'dd') return !args.some((arg) => arg.startsWith('if=') && !isInput(arg.slice(3)))
  if (name === 'expect' && args.some((arg) => /\binteract\b/.test(arg))) return true
  // This prints a greeting and ends: `ssh -T git@github.com`.
  if (name === 'ssh' && args.length === 2 && args[0] === '-T' && args[1]?.startsWith('git@')) return false
  const usage = usages.get(name)
  return usage !== undefined && waits(usage, args)
}

/** Precedes every word that the started program gets. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.findIndex((arg) => arg === '--' || !arg.startsWith('-'))
  return args.slice(0, end < 0 ? args.length : end).some((arg) => /^--(?:version|help)$/.test(arg))
}

function isOpener(words: readonly string[]): boolean {
  const line = words.slice(0, MOST_WORDS).map(readable).join(' ')
  return OPENERS.test(line) && !words.some((word) => /^(?:-c|-C|--(?:command|execute)(?:=.*)?)$/.test(word))
}

/** The command may start at any word. */
function carriesOne(args: readonly string[]): boolean {
  return args.slice(0, MOST_WORDS).some((word, at) => {
    const usage = usages.get(findName(word) ?? '')
    return usage !== undefined && waits(usage, args.slice(at + 1, at + MOST_WORDS))
  })
}

function findName(word: string): string | undefined {
  const name = isKnown(word) || word.includes('/') ? programName(word)?.toLowerCase() : undefined
  if (name === undefined) return meantBy(readable(word))
  if (usages.has(name)) return name
  return name.replace(/(?<=^(?:python|pypy|perl|ruby|php|lua|node))[\d.]+$/, '')
}

/** `$SHELL`, `$(which python3)`: it is clear enough which program runs. */
function meantBy(source: string): string | undefined {
  if (/^\$\{?(?:SHELL|BASH|0)\b/.test(source)) return 'sh'
  const [, program] = /^(?:\$\(|`)\s*(?:which|command -v|type -[pP]) ([\w./+-]+)\s*[)`]$/.exec(source) ?? []
  return program === undefined ? undefined : findName(program)
}

/** `vim -es`, `nvim --headless`, `vim -c '%s/a/b/|wq'`, `vim +q`. */
function endsByItself(args: readonly string[]): boolean {
  return args.some((arg, at) => {
    if (/^-[eE]s$|^--headless$/.test(arg)) return true
    const isScript = arg.startsWith('+') || /^(?:-c|--cmd)$/.test(args[at - 1] ?? '')
    return isScript && /(?:^|[+|:!\s])(?:w?qa?|x)!?$/.test(arg)
  })
}

function waits(usage: Usage, args: readonly string[]): boolean {
  const has = (names: string | undefined, name: string) => names?.split(' ').includes(name) === true
  const words: string[] = []
  let isOnce = asksForHelp(args)
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--') {
      words.push(...args.slice(at + 1))
      break
    }
    if (/^[-+]./.test(arg)) {
      const { names, takesNext } = optionsIn(arg, usage)
      if (names.some((name) => has(usage.typed, name))) return true
      if (names.some((name) => has(usage.once, name))) isOnce = true
      if (names.some((name) => has(usage.last, name))) return isTypedModule(names, args[at + 1])
      if (takesNext && isInput(args[++at] ?? '')) return true
      continue
    }
    words.push(arg)
    if (usage.isRunner) break
  }
  const [first] = words
  if (first !== undefined && has(usage.typedWords, first)) return !isOnce
  if (usage.isRunner && isInput(first ?? '')) return !isOnce
  if (usage.readsWords && words.some(isInput)) return true
  if (isOnce) return false
  if (usage.words === undefined || words.length < usage.words) return true
  return usage.inner !== undefined && takesOneOf(words.slice(usage.inner, MOST_WORDS))
}

/** `psql -f -`, `bash /dev/stdin` */
function isInput(word: string): boolean {
  return word === '-' || TYPED.test(word)
}

/** `ssh host 'cd app && bash -l'` is one word, which the other host splits. */
function takesOneOf(words: readonly string[]): boolean {
  const [only = ''] = words
  if (words.length !== 1) return takesCommands(words)
  return only.split(/&&|\|\||;/).some((command) => takesCommands(command.trim().split(/\s+/)))
}

/** `python3 -m pdb x.py` */
function isTypedModule(names: readonly string[], module: string | undefined): boolean {
  return names.includes('m') && /^(?:code|i?pdb|IPython|[pb]t?python|asyncio)$/.test(module ?? '')
}

function optionsIn(arg: string, { values = '', attached = '', hasLongDash }: Usage) {
  const withValue = values.split(' ')
  if (arg.startsWith('--') || hasLongDash) {
    const [name = '', value] = arg.replace(/^--?/, '').split('=', 2)
    const plain = hasLongDash ? name.toLowerCase() : name
    return { names: [plain], takesNext: value === undefined && withValue.includes(plain) }
  }
  const names: string[] = []
  for (const letter of arg.slice(1)) {
    names.push(letter)
    if (attached.includes(letter)) return { names, takesNext: false }
    if (withValue.includes(letter)) return { names, takesNext: names.length === arg.length - 1 }
  }
  return { names, takesNext: false }
}
