import { resolve } from 'node:path'
import { conductOf } from '../shell/words/known-readers.ts'
import { valueFlags, verbs } from './verbs.ts'

/** The placeholder for a word that cannot be known. */
const UNKNOWN = '?'

type OwnCommand =
  | { readonly kind: 'none' }
  | { readonly kind: 'free' }
  | { readonly kind: 'guarded'; readonly why: string }

const none: OwnCommand = { kind: 'none' }
const free: OwnCommand = { kind: 'free' }
const guarded = (why: string): OwnCommand => ({ kind: 'guarded', why })

/** Programs that run a file or package named in their arguments. */
const interpreters = /^(?:node|nodejs|bun|deno|tsx|ts-node|electron)(?:-\w+)?(?:\.exe)?$/i
const packageRunners =
  /^(?:npx|npm|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack|volta|fnm|mise|asdf|nvm)(?:\.cmd)?$/i
/** Programs that read or write files named in their arguments, and can run a command in them. */
const carriers =
  /^(?:docker|docker-compose|podman|nerdctl|kubectl|cargo|concurrently|npm-run-all|run-s|run-p|start-server-and-test|wait-on|turbo|nx|lerna|rsync|less|more|most|man|mapfile|readarray)$/i
/** Programs that run their input. */
const jobs = /^(?:crontab|at|batch|ssh|incrontab)$/i
/** Programs that run the commands in a file of the folder. */
const builders = /^(?:g?make|just|task|npm|pnpm|yarn|bun)$/i
const buildFiles = /\/(?:GNUmakefile|makefile|[^/]+\.mk|\.?justfile|taskfile\.ya?ml|package\.json)$/i

/** Options whose value names a package or folder, not a program. */
const filterFlags =
  /^(?:--filter|-F|--workspace|-w|workspace|--filter-prod|--project|--scope|--package|-p|-C|--dir|--directory|--cwd|--prefix)$/

/** The context of a command. */
interface Around {
  /** The whole command line. */
  readonly text: string
  /** The folders that the command may run in. */
  readonly folders: readonly string[]
  /** Files and folders created by the command line, which may contain pml under another name. */
  readonly made: readonly string[]
}

/**
 * Decides by pml's own grammar whether a command runs pml, and how. Unknown or unreadable verbs count as guarded.
 */
export function findOwnCommand(line: string, around: Around): OwnCommand {
  const words = line.split(' ').filter((word) => word !== '')
  const [first = '', ...rest] = words
  const program = baseOf(first)
  if (isPml(first)) return judgeVerb(rest)
  if (first === UNKNOWN) return judgeUnknown(rest, around.text)
  if (copiers.test(program) && isRenamed(rest, around.text)) return guarded('it gives pml another name')
  const runs = interpreters.test(program) ? rest.findIndex((word) => !word.startsWith('-')) + 1 : 0
  if (isMade(words[runs] ?? '', around)) return plainOnly(judgeVerb(words.slice(runs + 1)))
  if (jobs.test(program) || (builders.test(program) && around.made.some((path) => buildFiles.test(path)))) {
    const found = findOwnCommandIn(around.text)
    if (found.kind === 'guarded') return found
  }
  const isRunner = interpreters.test(program) || packageRunners.test(program)
  if (isRunner) return judgeRunner(rest, around.folders)
  return carriers.test(program) ? findOwnCommandIn(rest.join(' ')) : none
}

const copiers = /^(?:ln|link|cp|mv|install|rsync)$/

/** Whether `cp` or `ln` gives pml another name. */
function isRenamed(words: readonly string[], text: string): boolean {
  const to = words.at(-1) ?? ''
  const isOwn = words
    .slice(0, -1)
    .some(
      (word) =>
        isPmlFile(word) || /(?:^|\/)\.?bin\/pml$/.test(word) || (word === UNKNOWN && WHICH.test(text)),
    )
  return isOwn && /^(?!pml(?:\.|$))[^.]+(?:\.[cm]?js)?$/.test(baseOf(to))
}

const WHICH = /\b(?:which|command -v|type -p|whence|realpath|readlink)\b[^;|&]*\bpml\b/

function isMade(word: string, { text, folders, made }: Around): boolean {
  if (word === '' || !/\bpml\b/.test(text)) return false
  const paths = folders.map((folder) => resolve(folder, word))
  return paths.some((path) => made.some((one) => path === one || path.startsWith(`${one}/`)))
}

function plainOnly(found: OwnCommand): OwnCommand {
  return found.kind === 'guarded' && found.why === UNREADABLE ? none : found
}

/** `$(which pml) continue …`: the program is unknown, but the rest may be clear. */
function judgeUnknown(rest: readonly string[], text: string): OwnCommand {
  const found = judgeVerb(rest)
  const isPlain = found.kind === 'guarded' && found.why !== UNREADABLE
  if (isPlain && (/\bpml\b/.test(text) || plainly.test(rest.join(' ')))) return found
  return judgeCarried(rest)
}

const pairs = Object.keys(verbs).filter((verb) => verb.includes(' ') && verbs[verb] === 'guarded')
const plainly = new RegExp(
  String.raw`^(?:-\S+ )*(?:continue .*--(?:approve|always|reject|run|input)\b|trust .*--yes\b|(?:${pairs.join('|')})(?= |$))`,
)

/** Code that may contain a pml command. Only clearly guarded commands count. */
export function findOwnCommandInCode(text: string): OwnCommand {
  if (/\b(?:openPml|continueWorkflow)\b/.test(text))
    return guarded('it answers for the person through the library')
  const isLoaded = /\bimport\b|\brequire\b/.test(text) && text.split(/['"`]/).some(isPmlFile)
  return isLoaded ? guarded(UNREADABLE) : findOwnCommandIn(text)
}

/** The same for text given to a program that may run it: arguments, text typed into a terminal, a cron job. */
export function findOwnCommandIn(text: string): OwnCommand {
  for (const part of text.split(/[;|&\n\r]|\\[nr]/)) {
    const words = part.replaceAll(VERSION, '').split(/[\s'"`,()[\]{}<>=!#+@]+|\\t/)
    const found = judgeCarried(words.filter((word) => word !== ''))
    if (found.kind === 'guarded') return found
  }
  return none
}

/** `@latest` of `npx pml@latest trust`. */
const VERSION = /(?<=\bpml)@[\w.^~*-]+/gi

function judgeRunner(rest: readonly string[], folders: readonly string[]): OwnCommand {
  const file = rest.findIndex(
    (word) => isPmlFile(word) || folders.some((folder) => isPmlFile(resolve(folder, word))),
  )
  if (file >= 0) return judgeVerb(rest.slice(file + 1))
  const program = rest.findIndex(
    (word, index) =>
      !word.startsWith('-') &&
      !filterFlags.test(rest[index - 1] ?? '') &&
      !/^(?:exec|x|dlx|run|npx|node|workspace)$/.test(word),
  )
  const word = rest[program] ?? ''
  if (program >= 0 && isPml(word)) return judgeVerb(rest.slice(program + 1))
  // `cd node_modules/pml && node . trust`
  if (/^\.{0,2}\/?$/.test(word) && folders.some((folder) => isPml(resolve(folder, word))))
    return plainOnly(judgeVerb(rest.slice(program + 1)))
  // `npx vitest -t "pml trust"`
  if (conductOf(word, rest.slice(program + 1)) === 'reads' && !carriers.test(word)) return none
  return findOwnCommandIn(rest.join(' '))
}

function judgeCarried(words: readonly string[]): OwnCommand {
  for (const [index, word] of words.entries()) {
    if (!isPml(word) || filterFlags.test(words[index - 1] ?? '')) continue
    const found = judgeVerb(words.slice(index + 1).map(unquoted))
    // `pml` may be something other than the program if no verb follows.
    if (found.kind === 'guarded' && found.why !== UNREADABLE) return found
  }
  return none
}

const UNREADABLE = 'it is not known what it does'

/** In the order of pml's own parser: flags anywhere, then one or two words. */
function judgeVerb(argv: readonly string[]): OwnCommand {
  const { words, flags } = split(argv)
  const [first, second = ''] = words
  if (first === undefined) return flags.includes(UNKNOWN) ? guarded(UNREADABLE) : free
  if (words.slice(0, 2).includes(UNKNOWN) && !(first in verbs && verbs[first] === 'free'))
    return guarded(UNREADABLE)
  const name = Object.hasOwn(verbs, first) ? first : `${first} ${second}`
  const kind = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (kind === undefined) return isCategory(first) && second === '' ? free : guarded(UNREADABLE)
  if (kind === 'free' || isHelp(words, name, flags)) return free
  if (isLook(words, flags)) return free
  return guarded(`"pml ${name}" is a person's`)
}

/** A command that only shows a question or existing consent. */
function isLook(words: readonly string[], flags: readonly string[]): boolean {
  const own = flags.filter((flag) => !/^--(?:json|color|no-color)$/.test(flag))
  if (words[0] === 'continue') return words.length === 2 && own.length === 0
  return words.join() === 'trust' && own.join() === '--status'
}

function isHelp(words: readonly string[], name: string, flags: readonly string[]): boolean {
  return words.join(' ') === name && flags.length === 1 && /^(?:--help|-h)$/.test(flags[0] ?? '')
}

function isCategory(word: string): boolean {
  return Object.keys(verbs).some((verb) => verb.startsWith(`${word} `))
}

function split(argv: readonly string[]): { words: string[]; flags: string[] } {
  const [words, flags]: [string[], string[]] = [[], []]
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? ''
    if (word === '--') return { words: [...words, ...argv.slice(index + 1)], flags }
    if (!word.startsWith('-') || word === '-') words.push(word)
    else {
      flags.push(word)
      if (valueFlags.has(word) && !argv[index + 1]?.startsWith('--')) index++
    }
  }
  return { words, flags }
}

/** Matches `pml`, a path to it, a package with a scope or a version, its tarball, and Deno's name for it. */
function isPml(word: string): boolean {
  const plain = unquoted(word).replace(/(?<=[^/])\/+$/, '')
  if (isPmlFile(plain) || /^(?:npm:\/?)?(?:@[^/]+\/)?pml(?:@[^/]*)?(?:\/pml)?$/i.test(plain)) return true
  return /^(?:pml(?:\.cmd|\.ps1|\.exe)?|(?:file:)?(?:[\w.-]+-)?pml-\d[^/]*\.tgz)$/i.test(baseOf(plain))
}

function isPmlFile(word: string): boolean {
  const plain = unquoted(word).replaceAll('\\', '/')
  return /(?:^|\/)pml\.js$|(?:^|\/)pml\/(?:bundle\/main\.js|src\/main\.ts)$/i.test(plain)
}

function unquoted(word: string): string {
  return word.replaceAll(/^['"]+|['"]+$/g, '')
}

function baseOf(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
}
