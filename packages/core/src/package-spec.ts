import type { ServerConfig } from './server-config.ts'

/** The npm package that an `npx` command line asks for. */
export interface PackageSpec {
  /** As written: `pkg`, `pkg@range`, `@scope/pkg@tag`. */
  readonly spec: string
  readonly name: string
  /** The program to start, when the command line names one that may differ from the package. */
  readonly program?: string
  /** What the program gets. */
  readonly args: readonly string[]
}

const specPattern = /^((?:@[A-Za-z0-9~_-][\w.~-]*\/)?[A-Za-z0-9~_-][\w.~-]*)(?:@([^/:\\${}]+))?$/
/** Switches of npx that only keep it from asking. */
export const quietSwitches: ReadonlySet<string> = new Set([
  '-y',
  '--yes',
  '-q',
  '--quiet',
  '-s',
  '--silent',
  '--prefer-offline',
  '--prefer-online',
])
const withValue = new Set(['--registry', '--cache', '--userconfig', '--loglevel'])

/** Nothing for other commands, and for command lines that ask for anything but one package of a registry. */
export function packageSpecOf(config: Pick<ServerConfig, 'command' | 'args'>): PackageSpec | undefined {
  if (!/(?:^|[/\\])npx(?:\.cmd|\.exe)?$/.test(config.command ?? '')) return undefined
  const line = splitNpxLine(config.args)
  if (line === undefined || line.packages.length > 1) return undefined
  const [named] = line.packages
  const [first, ...args] = line.rest
  const found = findPackage(named ?? first)
  if (found === undefined || first === undefined) return undefined
  return named === undefined ? { ...found, args } : { ...found, program: first, args }
}

/** `pkg` or `pkg@range` of a registry; nothing for git, files, addresses, aliases and references. */
export function findPackage(spec: string | undefined): { spec: string; name: string } | undefined {
  const [, name, range] = specPattern.exec(spec ?? '') ?? []
  if (spec === undefined || name === undefined || !isRegistryRange(range ?? '')) return undefined
  return { spec, name }
}

/** Whether a dependency's range is answered by a registry: a version range, a tag, or an alias to one of them. */
export function isRegistryRange(range: string): boolean {
  const target = range.startsWith('npm:') ? findPackage(range.slice('npm:'.length)) : undefined
  return target !== undefined || !(/[/:\\]/.test(range) || /\.(?:tgz|tar|tar\.gz)$/i.test(range))
}

/** npx's own options up to the program, and the rest. Nothing when an option is not known here. */
function splitNpxLine(args: readonly string[]): { packages: string[]; rest: readonly string[] } | undefined {
  const packages: string[] = []
  for (let index = 0; index < args.length; index++) {
    const [, option = '', value] = /^(--?[^=]+)(?:=(.*))?$/s.exec(args[index] ?? '') ?? []
    if (option === '--') return { packages, rest: args.slice(index + 1) }
    if (option === '') return { packages, rest: args.slice(index) }
    if (option === '-p' || option === '--package') packages.push(value ?? args[++index] ?? '')
    else if (withValue.has(option)) index += value === undefined ? 1 : 0
    else if (!quietSwitches.has(option)) return undefined
  }
  return { packages, rest: [] }
}
