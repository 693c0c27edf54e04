import { diffPackages, findInstallScripts } from '../diff-pins.ts'
import type { PackageChange } from '../package-change.ts'
import type { Change, PackageChanges, Release } from './change.ts'
import { printInline, printSome } from './cut.ts'
import { memberOf } from './json.ts'
import { sameBytes } from './texts.ts'
import { diffDetails, findTree, type Tree } from './tree.ts'

const noPackages: PackageChanges = { added: [], removed: [], bumped: [], rehashed: [], installScripts: [] }

export function describePackages(before: Release | undefined, after: Release): Change {
  if (after.tree === undefined) {
    const isLost = before?.tree !== undefined
    return { fields: [], warnings: isLost ? ['the packages of the new release are not known'] : [] }
  }
  if (before?.tree && sameBytes(before.tree, after.tree)) return { fields: [], warnings: [] }
  const now = findTree(after.tree)
  if (now === undefined) {
    const warnings = ['the packages of the new release cannot be read: expected a package-lock.json']
    return { packages: noPackages, fields: [], warnings }
  }
  const old = before?.tree && findTree(before.tree)
  const described = describeTrees(old, now)
  if (before === undefined || old !== undefined) return described
  const warning = 'the packages of the old release are not known: all of the new ones are shown as added'
  return { ...described, warnings: [warning, ...described.warnings] }
}

function describeTrees(old: Tree | undefined, now: Tree): Change {
  const lists = diffPackages(old?.lock, now.lock)
  const fields = old ? diffDetails(old, now) : []
  const packages = {
    added: lists.added.map(printable),
    removed: lists.removed.map(printable),
    bumped: lists.bumped.map(printable),
    rehashed: lists.rehashed.map(printable),
    installScripts: findInstallScripts(now.lock).map(printInline),
  }
  const isSame = fields.length === 0 && Object.values(lists).every((list) => list.length === 0)
  const same = isSame ? ['the package-lock.json says the same in other bytes'] : []
  return { packages, fields, warnings: [...same, ...warnAbout(packages, now)] }
}

/** Keys and versions of an unchecked lock may contain anything. */
function printable({ location, before, after }: PackageChange): PackageChange {
  return {
    location: printInline(location),
    ...(before === undefined ? {} : { before: printInline(before) }),
    ...(after === undefined ? {} : { after: printInline(after) }),
  }
}

function warnAbout({ rehashed }: PackageChanges, { packages }: Tree): string[] {
  const other = rehashed.map(({ location, after }) => `${location} ${after}`)
  const strays = Object.entries(packages)
    .filter(([, entry]) => memberOf(entry, 'resolved') !== undefined || memberOf(entry, 'link') !== undefined)
    .map(([location]) => printInline(location))
  return [
    ...(other.length === 0 ? [] : [`the same version has other bytes: ${printSome(other)}`]),
    ...(strays.length === 0 ? [] : [`packages come from an address of their own: ${printSome(strays)}`]),
  ]
}
