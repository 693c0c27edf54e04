import { realpathSync } from 'node:fs'
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
import { PACKAGE_FOLDER } from '../machine/package-name.ts'
import { parseHttpDocument, parseStdioDocument, type StdioDocument } from '../workspace/documents.ts'
import { printNames } from './print-name.ts'

interface LockedLaunch {
  readonly entry: LockedEntry
  /** The document that the lockfile names, hashed before it came here. */
  readonly bytes: Uint8Array
  readonly root: string
  readonly registry: URL | undefined
}

/** How the launch differs from what is locked, without a word of it that may be a secret; undefined where it does not. */
export function findDifference(launch: Launch, locked: LockedLaunch): string | undefined {
  if (launch.kind === 'unclear') return launch.why
  switch (locked.entry.type) {
    case 'deno':
      return 'locked is a module, which only pml runs'
    case 'http':
      return differenceOfAddress(launch, locked)
    case 'stdio':
      return differenceOfCommand(launch, locked)
    default:
      throw new Error('unreachable: every type was named')
  }
}

/** The same for a local server, which is locked as it is written: to the letter, and without what would make it load more. */
export function findLocalDifference(launch: Launch, locked: ListedLaunch): string | undefined {
  if (launch.kind === 'unclear') return launch.why
  if (locked.kind === 'http') {
    if (launch.kind === 'command') return 'it is started by a command, locked is an address'
    if (launch.sets.length > 0) return `it sets ${printNames(launch.sets)}, which is not locked`
    if (launch.url === locked.url) return undefined
    return `it is reached at ${originOf(launch.url)}, locked is ${originOf(locked.url)}`
  }
  if (launch.kind === 'url') return `it is reached at ${originOf(launch.url)}, locked is a local command`
  const foreign = launch.sets.filter((name) => !locked.env.includes(name) || isDeciding(name))
  if (foreign.length > 0) return `it sets ${printNames(foreign)}, which is not locked`
  if (locked.cwd !== null) return 'locked is a folder to start it in, which agents do not keep to'
  const words = [locked.command, ...locked.args]
  const isSame = words.length === launch.words.length && words.every((word, at) => word === launch.words[at])
  // What is locked is as a person wrote it, perhaps with a secret in it.
  return isSame ? undefined : whatStarts(launch.words, words)
}

/** All others may change where pml looks and whom it trusts. */
const ownVariables = new Set(['PML_API_KEY'])
/** The person's own value may be handed on. */
const passedVariables = new Set(['PML_REGISTRY_URL'])

interface OwnPlaces {
  /** Where this pml is. */
  readonly installation: readonly string[]
  readonly root: string
  /** The Node that runs this. */
  readonly execPath: string
}

/** `pml serve`, which checks what it starts itself. Only the command itself, or the very file of this pml. */
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
  return isInProject && installation.includes(realFolder(join(root, ...PACKAGE_FOLDER)))
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

type Clear = Exclude<Launch, { kind: 'unclear' }>

function differenceOfCommand(launch: Clear, { entry, bytes, root }: LockedLaunch): string | undefined {
  if (launch.kind === 'url') return `it is reached at ${originOf(launch.url)}, locked is a local command`
  const document = parseStdioDocument({ name: entry.name, bytes })
  const foreign = launch.sets.filter((name) => !document.envRequired.includes(name))
  if (foreign.length > 0) return `it sets ${printNames(foreign)}, which is not locked`
  const wanted = lockedWords(document)
  const [words, least] = [lean(launch.words), lean(wanted)]
  if (words.length === least.length && least.every((word, at) => isSameWord(words[at] ?? '', word, root)))
    return undefined
  const line = wanted.map((word) => word.replaceAll('${WORKSPACE}', root)).join(' ')
  return `${whatStarts(launch.words, least)}, locked is ${JSON.stringify(line)}`
}

/** The command line of the document, with the version that was pinned. */
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

/** Without what makes no difference: the shell that Windows needs, and switches of npx that only keep it from asking. */
function lean(words: readonly string[]): readonly string[] {
  const [shell = '', flag = '', ...line] = words
  const isThroughCmd = /^cmd(?:\.exe)?$/i.test(shell) && /^\/c$/i.test(flag)
  // What cmd would read as something else than a word stays, and is a difference.
  const [program = '', ...args] =
    isThroughCmd && !line.some((word) => /[&|<>^%"\r\n]/.test(word)) ? line : words
  const command = program.replace(/^(npx|pml)\.cmd$/, '$1')
  if (command !== 'npx') return [command, ...args]
  const first = args.findIndex((word) => !quietSwitches.has(word))
  return [command, ...args.slice(first < 0 ? args.length : first)]
}

/** No value is longer, and no pattern is to be tried on more. */
const LONGEST = 4096

/** A part of a word, which a shell may read: no second word, and nothing that it would run. */
const PART = '(?!-)(?:[^\\s;&|<>$`()"\'\\\\]+|\\$\\{[^}\\s]*\\})'

/** Where the locked word is a variable any value stands, but no option. */
function isSameWord(word: string, wanted: string, root: string): boolean {
  if (word === wanted) return true
  const pattern = textPattern(wanted, (reference) => {
    if (reference === '${WORKSPACE}') return `(?:${[root, ...rootReferences].map(escaped).join('|')})`
    return reference === wanted ? '(?!-).+' : PART
  })
  return word.length <= LONGEST && wanted.includes('${') && pattern.test(word)
}

/** What agents put the folder of the project in for. */
const rootReferences = [...new Set(agents.flatMap(({ projectReferences }) => projectReferences ?? []))]

/** The package is named, since that is no secret; of all else only that it differs. */
function whatStarts(words: readonly string[], least: readonly string[]): string {
  const [command = '', ...args] = words
  const spec = packageSpecOf({ command, args })?.spec
  if (spec === undefined || least.includes(spec)) return 'its command line is another one'
  return `it starts ${printNames([spec])}`
}

function differenceOfAddress(launch: Clear, locked: LockedLaunch): string | undefined {
  if (launch.kind === 'command') return 'it is started by a command, locked is an address'
  if (launch.sets.length > 0) return `it sets ${printNames(launch.sets)}, which is not locked`
  const wanted = findAddress(locked)
  if (wanted === undefined)
    return 'locked is an address of the registry, and neither PML_REGISTRY_URL nor cloud.url of .pml.json says where that is'
  if (isSameAddress(launch.url, wanted)) return undefined
  const place = locked.entry.routing === 'server' ? wanted : originOf(wanted)
  return `it is reached at ${originOf(launch.url)}, locked is ${place}`
}

/** What goes through the registry has the hash in its address: without it, it is whatever is current there. */
function findAddress({ entry, bytes, registry }: LockedLaunch): string | undefined {
  if (entry.routing === 'client') return parseHttpDocument({ name: entry.name, bytes }).proxyTo
  return registry && new URL(`proxy/${lockedFqdn(entry)}`, registry).href
}

/** A value stays in its place: it can bring in neither a host nor a path. */
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

/** Without what may be a secret. */
function originOf(url: string): string {
  return URL.canParse(url) ? printNames([new URL(url).host]) : 'no address'
}

/** What a text of a document is when its references stand for something: `standsFor` gives the expression for each. */
function textPattern(text: string, standsFor: (reference: string) => string): RegExp {
  const parts = text
    .split(/(\$\{[A-Za-z_]\w*\})/)
    .map((part, index) => (index % 2 === 0 ? escaped(part) : standsFor(part)))
  return new RegExp(`^${parts.join('')}$`, 's')
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
