import type { CatalogQuery } from '@pml/core/schemas'
import type postgres from 'postgres'
import type { Actor } from '../keys/actor.ts'

type Filter = Pick<CatalogQuery, 'type' | 'routing' | 'tool'>
type Fragment = postgres.PendingQuery<postgres.Row[]>

/** What follows `where …` to keep to the rows of catalog_entry that a caller may see and asked for. */
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

/** `mayRead` of core, said in SQL. */
function visibleTo(sql: postgres.Sql, actor: Actor): Fragment {
  const { scopes } = actor
  if (readsAll(scopes)) return sql``
  if (readsPublicOnly(actor)) return sql`and visibility = 'public'`
  const orgs = argumentsOf(scopes, 'read:')
  const stems = argumentsOf(scopes, 'publish:').map((pattern) => pattern.replace(/\.\*$/, ''))
  return sql`and (visibility = 'public' or org = any(${orgs}) or name = any(${stems})
    or exists (select from unnest(${stems}::text[]) stem where starts_with(name, stem || '.')))`
}

/** What follows `where …` to keep to the words that a caller may know. A right to part of an org is none to its words. */
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

/** Callers who see the same entries share pages; a caller without rights over private ones is anyone. */
export function audienceOf({ scopes }: Actor): string {
  return scopes
    .filter((scope) => /^(admin$|read:|publish:)/.test(scope))
    .toSorted()
    .join(' ')
}
