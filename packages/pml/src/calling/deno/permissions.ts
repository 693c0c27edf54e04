import { join, resolve } from 'node:path'
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

export interface Granting {
  readonly tool: ToolName
  readonly root: string
  /** As the module says it: anything. */
  readonly declared: unknown
  readonly grants: readonly Grant[]
}

/**
 * The permissions that the module declares, if the workspace grants all of them; else an error that says what to write
 * into `.pml.json`. To read inside the workspace needs no grant.
 */
export function requireGranted({ tool, root, declared, grants }: Granting): GrantSet {
  const wanted = absolute(parseDeclared(declared, tool), root)
  const given = absolute(grantsFor(grants, tool), root)
  const read = given.read === true ? true : [root, ...(given.read ?? [])]
  const missing = findUngranted(wanted, { ...given, read })
  if (Object.keys(missing).length === 0) return wanted
  const addition = JSON.stringify({ grants: { [tool]: missing } })
  throw new PmlError(
    'not_granted',
    `Cannot run ${tool}: it declares ${printSet(missing)}, which this workspace does not grant; to grant it, add ${addition} to .pml.json`,
    { tool, missing },
  )
}

/** Deno's own flags. What pml keeps for itself stays out of reach, whatever is granted. */
export function flagsFor(granted: GrantSet, root: string): string[] {
  const flags = grantKinds.flatMap((kind) => {
    const values = granted[kind]
    if (values === undefined || (values !== true && values.length === 0)) return []
    return values === true ? [`--allow-${kind}`] : [`--allow-${kind}=${list(values)}`]
  })
  const own = [join(root, '.pml'), join(root, '.pml.json')]
  if (granted.read !== undefined) flags.push(`--deny-read=${list([join(root, '.pml')])}`)
  if (granted.write !== undefined) flags.push(`--deny-write=${list(own)}`)
  return flags
}

/** A comma inside of a value is written twice. */
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

function absolute(set: GrantSet, root: string): GrantSet {
  const paths = (values: readonly string[] | true | undefined) =>
    values === undefined || values === true ? values : values.map((path) => resolve(root, path))
  const [read, write] = [paths(set.read), paths(set.write)]
  return { ...set, ...(read && { read }), ...(write && { write }) }
}

function printSet(set: GrantSet): string {
  return Object.entries(set)
    .map(([kind, values]) => (values === true ? `all of ${kind}` : `${kind} of ${values.join(', ')}`))
    .join(' and ')
}

function wrong(tool: ToolName): PmlError {
  return new PmlError(
    'tool_failed',
    `Cannot run ${tool}: its permissions are not readable: expected an object of ${grantKinds.join(', ')} with lists of strings`,
  )
}
