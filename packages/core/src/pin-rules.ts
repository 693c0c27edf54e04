import { findPackage, isRegistryRange } from './package-spec.ts'
import type { LockEntry, Pin, PinLock } from './schemas/pin.ts'

/** A problem of a pin with a valid shape, and its path. */
interface PinProblem {
  readonly path: readonly string[]
  readonly message: string
}

const AGAIN = 'run "npm run pin" again'

/** Checks the rules beyond the schema: one tree, fully hashed, from a registry, and the pin is about its root. */
export function findPinProblems(pin: Pin): PinProblem[] {
  return [
    ...packageProblems(pin),
    ...rootProblems(pin),
    ...lockProblems(pin.lock),
    ...toolProblems(pin.tools ?? []),
  ]
}

/** Returns the lock key of a package that is installed at the top. */
export function locationOf(name: string): string {
  return `node_modules/${name}`
}

/** The executables of a package, by command name. */
export function binsOf(lock: PinLock, name: string): Map<string, string> {
  const bins = Object.entries(lock.packages[locationOf(name)]?.bin ?? {})
  return new Map(
    bins.map(([command, path]) => [command, `${locationOf(name)}/${path.replace(/^\.?\/+/, '')}`]),
  )
}

function* packageProblems(pin: Pin): Generator<PinProblem> {
  const entry = pin.lock.packages[locationOf(pin.package)]
  const inLock = `expected what the lock says about ${pin.package}; ${AGAIN}`
  if (findPackage(pin.spec)?.name !== pin.package)
    yield { path: ['spec'], message: `expected a spec of ${pin.package}` }
  if (entry === undefined || (entry.name ?? pin.package) !== pin.package)
    yield { path: ['package'], message: inLock }
  if (entry?.version !== pin.version) yield { path: ['version'], message: inLock }
  if (entry?.integrity !== pin.integrity) yield { path: ['integrity'], message: inLock }
  if (![...binsOf(pin.lock, pin.package).values()].includes(pin.bin)) yield { path: ['bin'], message: inLock }
}

function* rootProblems({ package: name, version, lock }: Pin): Generator<PinProblem> {
  const path = ['lock', 'packages', '']
  const { name: _name, dependencies, ...more } = lock.packages[''] ?? {}
  const only = JSON.stringify(dependencies) === JSON.stringify({ [name]: version })
  if (!only) yield { path, message: `expected exactly one dependency, ${name} ${version}; ${AGAIN}` }
  if (Object.keys(more).length > 0) yield { path, message: `expected only name and dependencies; ${AGAIN}` }
}

function* lockProblems({ packages }: PinLock): Generator<PinProblem> {
  for (const [location, entry] of Object.entries(packages)) {
    const path = ['lock', 'packages', location]
    if (location !== '' && entry.version === undefined)
      yield { path, message: `expected a version; ${AGAIN}` }
    if (location !== '' && !isHashed(packages, location)) {
      yield { path, message: 'expected a sha512 integrity; a package without one cannot be pinned' }
    }
    for (const [name, range] of dependenciesOf(entry)) {
      if (!isRegistryRange(range))
        yield { path, message: `expected ${name} from a registry, not from git, a file or an address` }
    }
  }
}

/** Reports whether a package is covered by its own hash or, if bundled, by the hash of the tarball that contains it. */
function isHashed(packages: PinLock['packages'], location: string): boolean {
  const entry = packages[location]
  if (entry?.integrity !== undefined) return true
  if (entry?.inBundle !== true) return false
  const owner = location.slice(0, Math.max(0, location.lastIndexOf('/node_modules/')))
  const bundles = packages[owner]?.bundleDependencies
  if (packages[owner]?.inBundle === true) return isHashed(packages, owner)
  return (
    packages[owner]?.integrity !== undefined &&
    (bundles === true || (Array.isArray(bundles) && bundles.length > 0))
  )
}

function dependenciesOf(entry: LockEntry): [string, string][] {
  if (entry.inBundle === true) return []
  return [entry.dependencies, entry.optionalDependencies, entry.peerDependencies].flatMap((of) =>
    Object.entries(of ?? {}),
  )
}

function* toolProblems(tools: readonly { readonly name: string }[]): Generator<PinProblem> {
  for (const [index, tool] of tools.entries()) {
    const before = tools[index - 1]
    if (before !== undefined && before.name >= tool.name) {
      yield { path: ['tools'], message: 'expected tools sorted by name, each once' }
    }
  }
}
