import type { ServerConfig } from './server-config.ts'

/** The npm package that an `npx` command line starts. */
export interface PackageSpec {
  /** As written: `pkg`, `pkg@range`, `@scope/pkg@tag`. */
  readonly spec: string
  readonly name: string
  /** The program to start, if the command line names one. */
  readonly program?: string
  /** The arguments of the program. */
  readonly args: readonly string[]
}

const specPattern = /^((?:@[A-Za-z0-9~_-][\w.~-]*\/)?[A-Za-z0-9~_-][\w.~-]*)(?:@([^/:\\${}]+))?$/
/** npx flags that only suppress its question. */
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

/** Returns undefined for other commands, and for command lines that name anything but one package of a registry. */
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

/** `pkg` or `pkg@range` of a registry; undefined for git, files, addresses, aliases and references. */
export function findPackage(spec: string | undefined): { spec: string; name: string } | undefined {
  const [, name, range] = specPattern.exec(spec ?? '') ?? []
  if (spec === undefined || name === undefined || !isRegistryRange(range ?? '')) return undefined
  return { spec, name }
}

/** Reports whether a registry resolves a dependency's range: a version range, a tag, or an alias to one of them. */
export function isRegistryRange(range: string): boolean {
  const target = range.startsWith('npm:') ? findPackage(range.slice('npm:'.length)) : undefined
  return target !== undefined || !(/[/:\\]/.test(range) || /\.(?:tgz|tar|tar\.gz)$/i.test(range))
}

/** Splits npx's own options from the program and the rest. Undefined if an option is unknown. */
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
