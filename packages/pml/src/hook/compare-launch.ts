import { basename, sep } from 'node:path'
import { packageSpecOf, type LockedEntry } from '@pml/core'
import { parseHttpDocument, parseStdioDocument } from '../fetching/documents.ts'
import type { Launch } from './agent-servers.ts'

export interface LockedLaunch {
  readonly entry: LockedEntry
  /** The document that the lockfile names, hashed before it came here. */
  readonly bytes: Uint8Array
  readonly root: string
}

/** How the launch differs from what is locked; undefined where it does not. */
export function findDifference(launch: Launch, { entry, bytes, root }: LockedLaunch): string | undefined {
  if (launch.kind === 'none') return 'it has neither a command nor an address'
  if (entry.type === 'http') return differenceOfUrl(launch, { entry, bytes })
  if (launch.kind === 'url') return `it is reached at ${originOf(launch.url)}, locked is a local command`
  const document = parseStdioDocument({ name: entry.name, bytes })
  const foreign = launch.env.filter((name) => !document.envRequired.includes(name))
  if (foreign.length > 0) return `it sets ${foreign.join(', ')}, which is not locked`
  const { pin } = document
  const wanted = [document.command, ...document.args]
  if (!pin) return sameWords(launch.words, wanted, root) ? undefined : printed(launch.words, wanted)
  const [command = '', ...args] = launch.words
  const spec = packageSpecOf({ command, args })
  const exact = `${pin.package}@${pin.version}`
  if (spec?.spec !== exact) return `it starts ${spec?.spec ?? launch.words.join(' ')}, locked is ${exact}`
  const own = packageSpecOf(document)
  return sameWords(spec.args, own?.args ?? [], root) ? undefined : printed(spec.args, own?.args ?? [])
}

/** The gateway of pml does its own checking. Only the command itself counts, or one below where this is installed. */
export function isGateway(launch: Launch, installation: readonly string[]): boolean {
  if (launch.kind !== 'command') return false
  const at = launch.words.indexOf('serve')
  const program = launch.words[at - 1]
  if (program === undefined || launch.env.some((name) => !name.startsWith('PML_'))) return false
  if (at === 1 && program === 'pml') return true
  const isOurs = installation.some((folder) => program.startsWith(`${folder}${sep}`))
  return isOurs && (at === 1 || (at === 2 && /^node(?:\.exe)?$/.test(basename(launch.words[0] ?? ''))))
}

function differenceOfUrl(
  launch: Launch,
  { entry, bytes }: Pick<LockedLaunch, 'entry' | 'bytes'>,
): string | undefined {
  if (launch.kind !== 'url') return 'it is started by a command, locked is an address'
  if (entry.routing === 'server' && new URL(launch.url).pathname.includes(`/proxy/${entry.name}`))
    return undefined
  const { proxyTo } = parseHttpDocument({ name: entry.name, bytes })
  return sameWord(launch.url, proxyTo)
    ? undefined
    : `it is reached at ${originOf(launch.url)}, locked is ${originOf(proxyTo)}`
}

function sameWords(words: readonly string[], wanted: readonly string[], root: string): boolean {
  if (words.length !== wanted.length) return false
  return wanted.every((want, index) => sameWord(words[index] ?? '', want.replaceAll('${WORKSPACE}', root)))
}

/** Where the locked word names a variable, any value stands; it cannot bring another word or path in. */
function sameWord(word: string, wanted: string): boolean {
  if (word === wanted) return true
  const parts = wanted.split(/\$\{[A-Za-z_]\w*\}/)
  if (parts.length === 1) return false
  const pattern = parts
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
    .join(String.raw`[^\s/?#&]+`)
  return new RegExp(`^${pattern}$`).test(word)
}

/** Without what may be a secret. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'no address'
}

function printed(words: readonly string[], wanted: readonly string[]): string {
  return `it is started as "${words.join(' ')}", locked is "${wanted.join(' ')}"`
}
