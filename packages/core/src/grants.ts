import type { ToolName } from './names.ts'
import { covers, type ToolPattern } from './tool-patterns.ts'

/** The permissions of code, named like Deno's flags. */
export const grantKinds = ['read', 'write', 'net', 'env', 'run', 'sys', 'ffi'] as const
export type GrantKind = (typeof grantKinds)[number]

/** `true` grants all of a kind; paths are absolute, without `..`. */
export type GrantSet = Readonly<Partial<Record<GrantKind, readonly string[] | true>>>

export interface Grant {
  readonly pattern: ToolPattern
  readonly given: GrantSet
}

/** Combines all grants for a tool. */
export function grantsFor(grants: readonly Grant[], tool: ToolName): GrantSet {
  const own = grants.filter(({ pattern }) => covers(pattern, tool)).map(({ given }) => given)
  const together: Partial<Record<GrantKind, readonly string[] | true>> = {}
  for (const kind of grantKinds) {
    const lists = own.flatMap((given) => (given[kind] === undefined ? [] : [given[kind]]))
    if (lists.includes(true)) together[kind] = true
    else if (lists.length > 0) together[kind] = [...new Set(lists.flat().map(String))]
  }
  return together
}

/** Returns the declared permissions that the grants do not cover; empty if the code may run with all of them. */
export function findUngranted(declared: GrantSet, given: GrantSet): GrantSet {
  const missing: Partial<Record<GrantKind, readonly string[] | true>> = {}
  for (const kind of grantKinds) {
    const [wanted, has = []] = [declared[kind], given[kind]]
    if (wanted === undefined || has === true) continue
    if (wanted === true) missing[kind] = true
    else {
      const open = wanted.filter((value) => !has.some((one) => isWithin(kind, value, one)))
      if (open.length > 0) missing[kind] = open
    }
  }
  return missing
}

function isWithin(kind: GrantKind, value: string, granted: string): boolean {
  if (value === granted) return true
  if (kind === 'net') return isHostWithin(value, granted)
  if (kind !== 'read' && kind !== 'write') return false
  const folder = /[/\\]$/.test(granted) ? granted : `${granted}/`
  return value.startsWith(folder) || value.startsWith(folder.replaceAll('/', '\\'))
}

/** A host without a port matches that host on every port. */
function isHostWithin(value: string, granted: string): boolean {
  return !granted.replace(/^\[[^\]]*\]/, '').includes(':') && value.startsWith(`${granted}:`)
}
