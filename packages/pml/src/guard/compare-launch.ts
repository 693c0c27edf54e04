import { join } from 'node:path'
import {
  isDeciding,
  lockedFqdn,
  packageSpecOf,
  quietSwitches,
  type ListedLaunch,
  type LockedEntry,
} from '@pml/core'
import { agents } from '@pml/hooks/agents'
import type { Launch } from '../agents/launch.ts'
import { realPath } from '../agents/real-path.ts'
import { PACKAGE_FOLDER } from '../machine/package-name.ts'
import { parseHttpDocument, parseStdioDocument, type StdioDocument } from '../workspace/documents.ts'
import { printNames } from './print-name.ts'

interface LockedLaunch {
  readonly entry: LockedEntry
  /** The document in the lockfile; the caller has checked its hash. */
  readonly bytes: Uint8Array
  readonly root: string
  readonly registry: URL | undefined
}

/** How the launch differs from the lock entry, without values that may be secret; undefined if it does not. */
export function findDifference(launch: Launch, locked: LockedLaunch): string | undefined {
  if (launch.kind === 'unclear') return launch.why
  switch (locked.entry.type) {
    case 'deno':
      return 'a module is locked, which only pml runs'
    case 'http':
      return differenceOfAddress(launch, locked)
    case 'stdio':
      return differenceOfCommand(launch, locked)
    default:
      throw new Error('unreachable: every type was named')
  }
}

/** The same for a local server: exactly the locked command line, without variables that would load more code. */
export function findLocalDifference(launch: Launch, locked: ListedLaunch): string | undefined {
  if (launch.kind === 'unclear') return launch.why
  if (locked.kind === 'http') {
    if (launch.kind === 'command') return 'it is started by a command, but an address is locked'
    if (launch.sets.length > 0) return `it sets ${printNames(launch.sets)}, which is not locked`
    if (launch.url === locked.url) return undefined
    return `it is reached at ${originOf(launch.url)}, but ${originOf(locked.url)} is locked`
  }
  if (launch.kind === 'url') return `it is reached at ${originOf(launch.url)}, but a local command is locked`
  const foreign = launch.sets.filter((name) => !locked.env.includes(name) || isDeciding(name))
  if (foreign.length > 0) return `it sets ${printNames(foreign)}, which is not locked`
  if (locked.cwd !== null) return 'a working directory is locked, which agents ignore'
  const words = [locked.command, ...locked.args]
  const isSame = words.length === launch.words.length && words.every((word, at) => word === launch.words[at])
  // The locked command line may contain a secret, so it is not printed.
  return isSame ? undefined : whatStarts(launch.words, words)
}

/** Other variables may change where pml reads settings and what it trusts. */
const ownVariables = new Set(['PML_API_KEY'])
/** The person's own value may be passed on. */
const passedVariables = new Set(['PML_REGISTRY_URL'])

interface OwnPlaces {
  /** The folders of this pml. */
  readonly installation: readonly string[]
  readonly root: string
  /** The Node executable of this process. */
  readonly execPath: string
}

/** Whether the launch is `pml serve`, which checks its servers itself: the `pml` command, or the script of this pml. */
export function isOwnServer(launch: Launch, places: OwnPlaces): boolean {
  if (launch.kind !== 'command' || !launch.sets.every((name) => isHarmless(name, launch.passes))) return false
  const words = lean(launch.words)
  const [program = '', script = '', ...rest] = words
  if (program === 'pml') return words.length === 2 && script === 'serve'
  const isNode = program === 'node' || program === places.execPath
  return isNode && rest.length === 1 && rest[0] === 'serve' && isOwnScript(script, places)
}

function isHarmless(name: string, passes: readonly string[]): boolean {
  return ownVariables.has(name) || (passedVariables.has(name) && passes.includes(name))
}

function isOwnScript(script: string, { installation, root }: OwnPlaces): boolean {
  if (installation.some((folder) => script === join(folder, 'bin', 'pml.js'))) return true
  const isInProject = rootReferences.some(
    (start) => script === [start, ...PACKAGE_FOLDER, 'bin', 'pml.js'].join('/'),
  )
  return isInProject && installation.includes(realPath(join(root, ...PACKAGE_FOLDER)))
}

type Clear = Exclude<Launch, { kind: 'unclear' }>

function differenceOfCommand(launch: Clear, { entry, bytes, root }: LockedLaunch): string | undefined {
  if (launch.kind === 'url') return `it is reached at ${originOf(launch.url)}, but a local command is locked`
  const document = parseStdioDocument({ name: entry.name, bytes })
  const foreign = launch.sets.filter((name) => !document.envRequired.includes(name))
  if (foreign.length > 0) return `it sets ${printNames(foreign)}, which is not locked`
  const wanted = lockedWords(document)
  const [words, least] = [lean(launch.words), lean(wanted)]
  if (words.length === least.length && least.every((word, at) => isSameWord(words[at] ?? '', word, root)))
    return undefined
  const line = wanted.map((word) => word.replaceAll('${WORKSPACE}', root)).join(' ')
  return `${whatStarts(launch.words, least)}, but ${JSON.stringify(line)} is locked`
}

/** The command line of the document, with the pinned version. */
function lockedWords(document: StdioDocument): string[] {
  const { command, args, pin } = document
  const spec = packageSpecOf(document)?.spec
  if (!pin || spec === undefined) return [command, ...args]
  const at = args.findIndex((word) => word === spec || word.endsWith(`=${spec}`))
  return [
    command,
    ...args.map((word, index) =>
      index === at ? word.replace(spec, () => `${pin.package}@${pin.version}`) : word,
    ),
  ]
}

/** Drops words without effect: the shell on Windows, and flags of npx that only suppress prompts. */
function lean(words: readonly string[]): readonly string[] {
  const [shell = '', flag = '', ...line] = words
  const isThroughCmd = /^cmd(?:\.exe)?$/i.test(shell) && /^\/c$/i.test(flag)
  // A word with special meaning for cmd stays and counts as a difference.
  const [program = '', ...args] =
    isThroughCmd && !line.some((word) => /[&|<>^%"\r\n]/.test(word)) ? line : words
  const command = program.replace(/^(npx|pml)\.cmd$/, '$1')
  if (command !== 'npx') return [command, ...args]
  const first = args.findIndex((word) => !quietSwitches.has(word))
  return [command, ...args.slice(first < 0 ? args.length : first)]
}

/** The longest text that a pattern is tried on. */
const LONGEST = 4096

/** Part of a word that a shell may parse: no separators, and nothing that it would execute. */
const PART = '(?!-)(?:[^\\s;&|<>$`()"\'\\\\]+|\\$\\{[^}\\s]*\\})'

/** Whether a word matches the locked one. A variable matches any value except an option. */
function isSameWord(word: string, wanted: string, root: string): boolean {
  if (word === wanted) return true
  const pattern = textPattern(wanted, (reference) => {
    if (reference === '${WORKSPACE}') return `(?:${[root, ...rootReferences].map(escaped).join('|')})`
    return reference === wanted ? '(?!-).+' : PART
  })
  return word.length <= LONGEST && wanted.includes('${') && pattern.test(word)
}

/** Variables that agents replace with the project folder. */
const rootReferences = [...new Set(agents.flatMap(({ projectReferences }) => projectReferences ?? []))]

/** Names the package, which is no secret; of anything else says only that it differs. */
function whatStarts(words: readonly string[], least: readonly string[]): string {
  const [command = '', ...args] = words
  const spec = packageSpecOf({ command, args })?.spec
  if (spec === undefined || least.includes(spec)) return 'its command line is different'
  return `it starts ${printNames([spec])}`
}

function differenceOfAddress(launch: Clear, locked: LockedLaunch): string | undefined {
  if (launch.kind === 'command') return 'it is started by a command, but an address is locked'
  if (launch.sets.length > 0) return `it sets ${printNames(launch.sets)}, which is not locked`
  const wanted = findAddress(locked)
  if (wanted === undefined)
    return 'an address of the registry is locked, but neither PML_REGISTRY_URL nor cloud.url of .pml.json is set'
  if (isSameAddress(launch.url, wanted)) return undefined
  const place = locked.entry.routing === 'server' ? wanted : originOf(wanted)
  return `it is reached at ${originOf(launch.url)}, but ${place} is locked`
}

/** The locked address. Through the registry it contains the hash; without it, the address would mean the current release. */
function findAddress({ entry, bytes, registry }: LockedLaunch): string | undefined {
  if (entry.routing === 'client') return parseHttpDocument({ name: entry.name, bytes }).proxyTo
  return registry && new URL(`proxy/${lockedFqdn(entry)}`, registry).href
}

/** Whether an address matches the locked one. A variable matches neither a host nor a path separator. */
function isSameAddress(url: string, wanted: string): boolean {
  if (!wanted.includes('${'))
    return URL.canParse(url) && URL.canParse(wanted) && hrefOf(url) === hrefOf(wanted)
  return (
    url.length <= LONGEST && textPattern(wanted, () => String.raw`(?:[\w.~%-]+|\$\{[\w:.-]+\})`).test(url)
  )
}

function hrefOf(url: string): string {
  return new URL(url).href
}

/** The host of an address, without parts that may be secret. */
function originOf(url: string): string {
  return URL.canParse(url) ? printNames([new URL(url).host]) : 'an invalid address'
}

/** A pattern for a text with references; `standsFor` returns the expression for each reference. */
function textPattern(text: string, standsFor: (reference: string) => string): RegExp {
  const parts = text
    .split(/(\$\{[A-Za-z_]\w*\})/)
    .map((part, index) => (index % 2 === 0 ? escaped(part) : standsFor(part)))
  return new RegExp(`^${parts.join('')}$`, 's')
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
