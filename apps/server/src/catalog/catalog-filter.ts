import type { CatalogQuery } from '@pml/core/schemas'
import type postgres from 'postgres'
import type { Actor } from '../keys/actor.ts'

type Filter = Pick<CatalogQuery, 'type' | 'routing' | 'tool'>
type Fragment = postgres.PendingQuery<postgres.Row[]>

/** SQL conditions that limit catalog_entry to the rows that the filter selects and the caller may see. */
export function conditionOf(sql: postgres.Sql, { type, routing, tool }: Filter, actor: Actor): Fragment {
  return sql`
    ${visibleTo(sql, actor)}
    ${type === undefined ? sql`` : sql`and type = ${type}`}
    ${routing === undefined ? sql`` : sql`and routing = ${routing}`}
    ${tool === undefined ? sql`` : sql`and tools @> array[${tool}]`}`
}

export function readsPublicOnly({ scopes }: Actor): boolean {
  return !scopes.some((scope) => scope === 'admin' || /^(read|publish):/.test(scope))
}

/** The SQL form of core's `mayRead`. */
function visibleTo(sql: postgres.Sql, actor: Actor): Fragment {
  const { scopes } = actor
  if (readsAll(scopes)) return sql``
  if (readsPublicOnly(actor)) return sql`and visibility = 'public'`
  const orgs = argumentsOf(scopes, 'read:')
  const stems = argumentsOf(scopes, 'publish:').map((pattern) => pattern.replace(/\.\*$/, ''))
  return sql`and (visibility = 'public' or org = any(${orgs}) or name = any(${stems})
    or exists (select from unnest(${stems}::text[]) stem where starts_with(name, stem || '.')))`
}

/** An SQL condition that limits words to public ones and those of orgs that the caller may read in full. */
export function knownTo(sql: postgres.Sql, { scopes }: Actor): Fragment {
  if (readsAll(scopes)) return sql``
  const whole = argumentsOf(scopes, 'publish:').map((pattern) => pattern.replace(/\.\*$/, ''))
  return sql`and org = any(${['', ...argumentsOf(scopes, 'read:'), ...whole]}::text[])`
}

function readsAll(scopes: readonly string[]): boolean {
  return scopes.some((scope) => ['admin', 'read:*', 'publish:*'].includes(scope))
}

function argumentsOf(scopes: readonly string[], kind: string): string[] {
  return scopes.filter((scope) => scope.startsWith(kind)).map((scope) => scope.slice(kind.length))
}

/** Returns the cache key of callers who see the same entries; it is empty for those who see only public ones. */
export function audienceOf({ scopes }: Actor): string {
  return scopes
    .filter((scope) => /^(admin$|read:|publish:)/.test(scope))
    .toSorted()
    .join(' ')
}
