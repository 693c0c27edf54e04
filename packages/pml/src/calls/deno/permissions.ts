import { join, relative, resolve } from 'node:path'
import {
  findUngranted,
  grantKinds,
  grantsFor,
  PmlError,
  type Grant,
  type GrantKind,
  type GrantSet,
  type ToolName,
} from '@pml/core'
import { findLinks, isInside, resolveLinks } from '../../machine/files/find-links.ts'

interface Granting {
  readonly tool: ToolName
  readonly root: string
  /** The unchecked declaration of the module. */
  readonly declared: unknown
  readonly grants: readonly Grant[]
}

/**
 * The permissions that the module declares, if the workspace grants all of them; otherwise throws an error that says what
 * to add to `.pml.json`. Reading inside the workspace needs no grant. A link counts as its target.
 */
export async function requireGranted({ tool, root, declared, grants }: Granting): Promise<GrantSet> {
  const wanted = withPaths(parseDeclared(declared, tool), (path) => resolve(root, path))
  const given = await withRealPaths(withPaths(grantsFor(grants, tool), (path) => resolve(root, path)))
  const read = given.read === true ? true : [root, ...(given.read ?? [])]
  const open = findUngranted(await withRealPaths(wanted), { ...given, read })
  if (Object.keys(open).length === 0) return wanted
  // Relative paths hold on other machines too.
  const missing = withPaths(open, (path) => (isInside(path, root) ? relative(root, path) || '.' : path))
  const addition = JSON.stringify({ grants: { [tool]: missing } })
  throw new PmlError(
    'not_granted',
    `Cannot run ${tool}: it declares ${printSet(missing)}, which this workspace does not grant; to grant it, add ${addition} to .pml.json, then run "pml trust"`,
    { tool, missing },
  )
}

/** Deno's flags for the granted permissions. pml's own files and links that lead elsewhere are always denied. */
export async function flagsFor(granted: GrantSet, root: string): Promise<string[]> {
  const flags = grantKinds.flatMap((kind) => {
    const values = granted[kind]
    if (values === undefined || (values !== true && values.length === 0)) return []
    return values === true ? [`--allow-${kind}`] : [`--allow-${kind}=${list(values)}`]
  })
  const real = await withRealPaths(granted)
  for (const kind of ['read', 'write'] as const) {
    const [paths, open] = [granted[kind], real[kind]]
    if (paths === undefined || open === undefined) continue
    const own = [join(root, '.pml'), join(root, '.pml.json')]
    const links = await findLinks(paths === true ? [root] : paths, (target) => {
      if (own.some((path) => isInside(target, path))) return false
      return open === true || open.some((path) => isInside(target, path))
    })
    flags.push(`--deny-${kind}=${list([...own, ...links])}`)
  }
  return flags
}

/** A comma in a value is doubled. */
function list(values: readonly string[]): string {
  return values.map((value) => value.replaceAll(',', ',,')).join(',')
}

function parseDeclared(declared: unknown, tool: ToolName): GrantSet {
  const set: Partial<Record<GrantKind, readonly string[] | true>> = {}
  if (declared === null || typeof declared !== 'object' || Array.isArray(declared)) throw wrong(tool)
  for (const [kind, value] of Object.entries(declared)) {
    const known = grantKinds.find((one) => one === kind)
    if (known === undefined) throw wrong(tool)
    if (value === false) continue
    if (
      value !== true &&
      !(Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== ''))
    )
      throw wrong(tool)
    set[known] = value === true || value.includes('*') ? true : (value as string[])
  }
  return set
}

function withPaths(set: GrantSet, change: (path: string) => string): GrantSet {
  const paths = (values: readonly string[] | true | undefined) =>
    values === undefined || values === true ? values : values.map(change)
  const [read, write] = [paths(set.read), paths(set.write)]
  return { ...set, ...(read && { read }), ...(write && { write }) }
}

async function withRealPaths(set: GrantSet): Promise<GrantSet> {
  const all = [set.read, set.write].flatMap((values) =>
    values === undefined || values === true ? [] : values,
  )
  const real = new Map(await Promise.all(all.map(async (path) => [path, await resolveLinks(path)] as const)))
  return withPaths(set, (path) => real.get(path) ?? path)
}

function printSet(set: GrantSet): string {
  return Object.entries(set)
    .map(([kind, values]) => (values === true ? `all of ${kind}` : `${kind} of ${values.join(', ')}`))
    .join(' and ')
}

function wrong(tool: ToolName): PmlError {
  return new PmlError(
    'tool_failed',
    `Cannot run ${tool}: its permissions are invalid: expected an object of ${grantKinds.join(', ')} with lists of strings`,
  )
}
