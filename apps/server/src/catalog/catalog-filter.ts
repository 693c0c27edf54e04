import type { CatalogQuery } from '@pml/core/schemas'
import { and, arrayContains, eq, inArray, or, sql, type SQL } from 'drizzle-orm'
import { pmlRegistry } from '../db/schema.ts'
import type { Actor } from '../keys/actor.ts'

export type Filter = Pick<CatalogQuery, 'type' | 'routing' | 'tool' | 'q'>

/** The rows that a caller may see and asked for. */
export function conditionOf({ type, routing, tool, q }: Filter, actor: Actor): SQL | undefined {
  const words = q?.toLowerCase().split(/\s+/).filter(Boolean) ?? []
  return and(
    visibleTo(actor.scopes),
    type === undefined ? undefined : eq(pmlRegistry.type, type),
    routing === undefined ? undefined : eq(pmlRegistry.routing, routing),
    tool === undefined ? undefined : arrayContains(pmlRegistry.tools, [tool]),
    ...words.map((word) => sql`strpos(${pmlRegistry.search}, ${word}) > 0`),
  )
}

/** `mayRead` of core, said in SQL. */
function visibleTo(scopes: readonly string[]): SQL | undefined {
  if (scopes.some((scope) => ['admin', 'read:*', 'publish:*'].includes(scope))) return undefined
  const orgs = argumentsOf(scopes, 'read:')
  const stems = argumentsOf(scopes, 'publish:').map((pattern) => pattern.replace(/\.\*$/, ''))
  return or(
    eq(pmlRegistry.visibility, 'public'),
    orgs.length > 0 ? inArray(pmlRegistry.org, orgs) : undefined,
    ...stems.map((stem) =>
      or(sql`${pmlRegistry.name} = ${stem}`, sql`starts_with(${pmlRegistry.name}, ${`${stem}.`})`),
    ),
  )
}

function argumentsOf(scopes: readonly string[], kind: string): string[] {
  return scopes.filter((scope) => scope.startsWith(kind)).map((scope) => scope.slice(kind.length))
}
