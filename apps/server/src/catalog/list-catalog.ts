import type { Name } from '@pml/core'
import type { CatalogItem, CatalogQuery } from '@pml/core/schemas'
import { LRUCache } from 'lru-cache'
import type postgres from 'postgres'
import type { Actor } from '../keys/actor.ts'
import { audienceOf, conditionOf } from './catalog-filter.ts'
import type { Ask } from './catalog-lane.ts'

export interface Total {
  readonly total: number
  readonly totalIsExact: boolean
}

/** Lists entries by name; caches totals until something changes. */
interface CatalogList {
  list(ask: Ask, sql: postgres.Sql, wanted: Wanted): Promise<Total & { readonly names: readonly Name[] }>
  clear(): void
}

interface Wanted {
  readonly query: CatalogQuery
  readonly actor: Actor
  /** The start of a page that was requested by cursor. */
  readonly after: Name | undefined
  readonly limit: number
}

/** The number of matching entries, and the name of every FENCE_STEP-th: deep pages start at the nearest of these. */
interface Survey {
  readonly total: number
  readonly fences: readonly Name[]
  readonly takenAt: number
  readonly tookMs: number
  isCurrent: boolean
}

/** Above this number the planner's estimate replaces a count. */
const MOST_COUNTED = 10_000
/** Up to this offset a page is found by scanning from the first entry. */
const DEEP = 2000
const FENCE_STEP = 500
/**
 * Quick surveys are repeated after every change. Slow ones, of a large registry, are reused for a while, so that
 * publishing and paging together do not scan the registry constantly. Deep pages by number may then be off by recent
 * changes; cursors never are.
 */
const QUICK_MS = 50
const STALE_FACTOR = 20

export function createCatalogList(): CatalogList {
  const totals = new LRUCache<string, Total>({ max: 1000 })
  const surveys = new LRUCache<string, Survey>({ max: 20 })

  function findSurvey(key: string): Survey | undefined {
    const found = surveys.get(key)
    if (!found || found.isCurrent) return found
    const isUsable =
      found.tookMs > QUICK_MS && performance.now() - found.takenAt < found.tookMs * STALE_FACTOR
    return isUsable ? found : undefined
  }

  async function survey(ask: Ask, sql: postgres.Sql, { query, actor }: Wanted): Promise<Survey> {
    const key = keyOf(query, actor)
    const kept = findSurvey(key)
    if (kept) return kept
    const takenAt = performance.now()
    const rows = await ask(sql<{ name: Name; total: number }[]>`
      select name, total from (
        select name, row_number() over (order by name) as place, (count(*) over ())::int as total
        from catalog_entry where true ${conditionOf(sql, query, actor)}) placed
      where place % ${FENCE_STEP} = 1 order by name`)
    const taken: Survey = {
      total: rows[0]?.total ?? 0,
      fences: rows.map(({ name }) => name),
      takenAt,
      tookMs: performance.now() - takenAt,
      isCurrent: true,
    }
    surveys.set(key, taken)
    return taken
  }

  async function count(ask: Ask, sql: postgres.Sql, { query, actor }: Wanted): Promise<Total> {
    const key = keyOf(query, actor)
    const surveyed = findSurvey(key)
    if (surveyed) return { total: surveyed.total, totalIsExact: surveyed.isCurrent }
    const kept = totals.get(key)
    if (kept) return kept
    const condition = conditionOf(sql, query, actor)
    const [row] = await ask(sql<{ count: number }[]>`
      select count(*)::int from (
        select from catalog_entry where true ${condition} limit ${MOST_COUNTED + 1}) counted`)
    const counted = row?.count ?? 0
    const total =
      counted <= MOST_COUNTED
        ? { total: counted, totalIsExact: true }
        : { total: Math.max(counted, await estimate(ask, sql, condition)), totalIsExact: false }
    totals.set(key, total)
    return total
  }

  return {
    list: async (ask, sql, wanted) => {
      const { query, actor, after, limit } = wanted
      const offset = after === undefined ? (query.page - 1) * query.limit : 0
      const fences = offset > DEEP ? (await survey(ask, sql, wanted)).fences : undefined
      const total = await count(ask, sql, wanted)
      const fence = fences?.[Math.floor(offset / FENCE_STEP)]
      if (fences && fence === undefined) return { ...total, names: [] }
      const start = after !== undefined ? sql`and name > ${after}` : fence ? sql`and name >= ${fence}` : sql``
      const rows = await ask(sql<{ name: Name }[]>`
        select name from catalog_entry where true ${conditionOf(sql, query, actor)} ${start}
        order by name limit ${limit} offset ${fence ? offset % FENCE_STEP : offset}`)
      return { ...total, names: rows.map(({ name }) => name) }
    },
    clear: () => {
      totals.clear()
      for (const survey of surveys.values()) survey.isCurrent = false
    },
  }
}

function keyOf({ type, routing, tool }: CatalogQuery, actor: Actor): string {
  return JSON.stringify([audienceOf(actor), type, routing, tool])
}

async function estimate(
  ask: Ask,
  sql: postgres.Sql,
  condition: ReturnType<typeof conditionOf>,
): Promise<number> {
  const [row] = await ask(sql<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }[]>`
    explain (format json) select from catalog_entry where true ${condition}`)
  return row?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
}

/** Returns the items of a page, in order; skips entries that were retired meanwhile. */
export async function readItems(ask: Ask, sql: postgres.Sql, names: readonly Name[]): Promise<CatalogItem[]> {
  if (names.length === 0) return []
  return ask(sql<CatalogItem[]>`
    select fqdn, type, routing, description
    from unnest(${names as Name[]}::text[]) with ordinality as wanted (name, place)
    join pml_registry on pml_registry.name = wanted.name and release_name = wanted.name
    order by place`)
}
