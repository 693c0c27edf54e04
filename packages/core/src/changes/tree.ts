import type { JsonObject, JsonValue } from '../canonical-json.ts'
import type { LockEntry, PinLock } from '../schemas/pin.ts'
import type { FieldChange } from './change.ts'
import { diffFields, joinPath } from './diff-fields.ts'
import { findObject, isObject, memberOf } from './json.ts'
import { findText } from './texts.ts'

/** An unchecked package-lock.json. */
export interface Tree {
  readonly packages: JsonObject
  readonly others: JsonObject
  /** Its packages, as far as they can be compared with those of a pin. */
  readonly lock: Pick<PinLock, 'packages'>
}

export function findTree(bytes: Uint8Array): Tree | undefined {
  const json = findObject(findText(bytes) ?? '')
  if (json === undefined) return undefined
  const { packages, ...others } = json
  if (!isObject(packages)) return undefined
  const entries = Object.entries(packages).map(([location, entry]) => [location, entryOf(entry)] as const)
  return { packages, others, lock: { packages: Object.fromEntries(entries) } }
}

/** Differences outside the package list: other members of the lock, of its root, or of a package with the same version. */
export function diffDetails(old: Tree, now: Tree): FieldChange[] {
  const locations = Object.keys(now.packages).filter((location) => {
    const before = memberOf(old.packages, location)
    return before !== undefined && versionOf(before) === versionOf(now.packages[location])
  })
  const details = [...new Set([...locations, ''])].sort().flatMap((location) => {
    const [before, after] = [old, now].map((tree) => detailsOf(location, tree))
    return diffFields(joinPath('tree.packages', location), { before, after })
  })
  return [...diffFields('tree', { before: old.others, after: now.others }), ...details]
}

function entryOf(entry: JsonValue | undefined): LockEntry {
  const integrity = memberOf(entry, 'integrity')
  return {
    version: versionOf(entry),
    ...(typeof integrity === 'string' ? { integrity } : {}),
    hasInstallScript: memberOf(entry, 'hasInstallScript') === true,
  }
}

function versionOf(entry: JsonValue | undefined): string {
  const version = memberOf(entry, 'version')
  return typeof version === 'string' ? version : 'unversioned'
}

/** An entry without the members that the package list shows; the root is in no list. */
function detailsOf(location: string, { packages }: Tree): JsonValue | undefined {
  const entry = memberOf(packages, location)
  if (!isObject(entry) || location === '') return entry
  return Object.fromEntries(Object.entries(entry).filter((member) => !isTold(member)))
}

function isTold([key, value]: [string, JsonValue | undefined]): boolean {
  return (key === 'version' || key === 'integrity') && typeof value === 'string'
}
