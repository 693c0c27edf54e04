import { PmlError } from './errors.ts'
import type { PackageSpec } from './package-spec.ts'
import { binsOf, locationOf } from './pin-rules.ts'
import { parseLock, parsePin, printPin, sortTools, type Pin, type PinLock } from './pin.ts'

/** Makes a pin without tools from the package-lock.json that npm wrote for this package alone. */
export function makePin(server: string, wanted: PackageSpec, lockText: string): Pin {
  const lock = parseLock(lockText, 'package-lock.json')
  const { version = '', integrity = '' } = lock.packages[locationOf(wanted.name)] ?? {}
  const chosen = { spec: wanted.spec, package: wanted.name, version, integrity, bin: chooseBin(lock, wanted) }
  const pin: Pin = { $schema: '../pin.schema.json', server, ...chosen, lock, tools: null }
  return parsePin(printPin(pin), `${server}.json`)
}

/** Adds what the server said about itself, validated like all external input. */
export function addTools(pin: Pin, tools: readonly { readonly name: string }[]): Pin {
  return parsePin(JSON.stringify({ ...pin, tools: sortTools(tools) }), `${pin.server}.json`)
}

/** Makes the pin of a lock and a file in it, by every rule of pins. For callers that have both without their pin. */
export function parseLockedTree(lockText: string, bin: string): Pin {
  const lock = parseLock(lockText, 'package-lock.json')
  const [name = ''] = Object.keys(lock.packages['']?.dependencies ?? {})
  const { version = '', integrity = '' } = lock.packages[locationOf(name)] ?? {}
  const chosen = { spec: name, package: name, version, integrity, bin }
  const pin: Pin = { $schema: '../pin.schema.json', server: 'tree', ...chosen, lock, tools: null }
  return parsePin(printPin(pin), 'tree.json')
}

/** Chooses like npx: the only executable of a package, else the one named like the command or the package. */
function chooseBin(lock: PinLock, { name, program }: PackageSpec): string {
  const bins = binsOf(lock, name)
  const files = [...new Set(bins.values())]
  const named = bins.get(program ?? name.replace(/^@[^/]*\//, ''))
  const only = program === undefined && files.length === 1 ? files[0] : undefined
  const bin = named ?? only
  if (bin !== undefined) return bin
  const offered = [...bins.keys()].join(', ') || 'none'
  throw new PmlError(
    'invalid_config',
    `Cannot choose what to start of ${name}: expected one command, got ${offered}`,
  )
}
