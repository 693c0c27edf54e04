import { integrityOf, type Name } from '@pml/core'
import type { CatalogPage, CatalogQuery } from '@pml/core/schemas'
import { and, asc, gt, gte, sql, type SQL } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/connect.ts'
import { pmlRegistry } from '../db/schema.ts'
import { byteString, corsHeaders, type Conditional } from '../http/answer.ts'
import type { Actor } from '../keys/actor.ts'
import { conditionOf } from './catalog-filter.ts'
import { parseCursor, printCursor } from './catalog-query.ts'

/** Pages are kept until anything in the registry changes. */
export interface CatalogPages {
  /** Only what is in memory for callers without a key; `search` is the query as it stands in the URL. */
  peek(search: string): Conditional | undefined
  read(query: CatalogQuery, actor: Actor, search: string): Promise<Conditional>
  list(query: CatalogQuery, actor: Actor): Promise<CatalogPage>
  clear(): void
}

/** How many entries match, and the name of every FENCE_STEP-th of them: a deep page starts at the nearest one. */
interface Survey {
  readonly total: number
  readonly fences: readonly Name[]
}

const FENCE_STEP = 500
const OVERHEAD_BYTES = 1500

export function createCatalogPages(
  { orm }: Pick<Database, 'orm'>,
  { maxBytes }: { maxBytes: number },
): CatalogPages {
  const pages = new LRUCache<string, Conditional>({
    maxSize: maxBytes,
    sizeCalculation: ({ found }) => OVERHEAD_BYTES + (found.body?.length ?? 0),
  })
  const surveys = new LRUCache<string, Promise<Survey>>({ max: 1000 })
  let generation = 0

  function survey(query: CatalogQuery, actor: Actor): Promise<Survey> {
    const { type, routing, tool, q } = query
    const key = JSON.stringify([audienceOf(actor), type, routing, tool, q])
    const kept = surveys.get(key)
    if (kept) return kept
    const taken = takeSurvey(conditionOf(query, actor))
    surveys.set(key, taken)
    taken.catch(() => surveys.delete(key))
    return taken
  }

  async function takeSurvey(condition: SQL | undefined): Promise<Survey> {
    const ranked = orm
      .select({
        name: pmlRegistry.name,
        rank: sql<number>`row_number() over (order by ${pmlRegistry.name})`.as('rank'),
        total: sql<number>`(count(*) over ())::int`.as('total'),
      })
      .from(pmlRegistry)
      .where(condition)
      .as('ranked')
    const rows = await orm
      .select({ name: ranked.name, total: ranked.total })
      .from(ranked)
      .where(sql`${ranked.rank} % ${FENCE_STEP} = 1`)
      .orderBy(asc(ranked.name))
    return { total: rows[0]?.total ?? 0, fences: rows.map(({ name }) => name) }
  }

  async function list(query: CatalogQuery, actor: Actor): Promise<CatalogPage> {
    const { total, fences } = await survey(query, actor)
    const position = query.cursor === undefined ? undefined : parseCursor(query.cursor)
    const page = position?.page ?? query.page
    const offset = (query.page - 1) * query.limit
    const fence = fences[Math.floor(offset / FENCE_STEP)]
    const start = position ? inBoth(gt, position.after) : fence && inBoth(gte, fence)
    const rows = start
      ? await takePage(and(conditionOf(query, actor), start), {
          limit: query.limit + 1,
          skip: position ? 0 : offset % FENCE_STEP,
        })
      : []
    const shown = rows.slice(0, query.limit)
    const last = rows.length > query.limit ? shown.at(-1) : undefined
    return {
      items: shown.map(({ fqdn, type, routing, description }) => ({ fqdn, type, routing, description })),
      total,
      page,
      limit: query.limit,
      ...(last && { nextCursor: printCursor({ page: page + 1, after: last.name }) }),
    }
  }

  function takePage(condition: SQL | undefined, { limit, skip }: { limit: number; skip: number }) {
    const { name, fqdn, type, routing, description } = pmlRegistry
    return orm
      .select({ name, fqdn, type, routing, description })
      .from(pmlRegistry)
      .where(condition)
      .orderBy(asc(name))
      .limit(limit)
      .offset(skip)
  }

  return {
    peek: (search) => pages.get(keyOf('', search)),
    read: async (query, actor, search) => {
      const key = keyOf(audienceOf(actor), search)
      const kept = pages.get(key)
      if (kept) return kept
      const asked = generation
      const ready = readyPage(await list(query, actor), { search, shared: audienceOf(actor) === '' })
      if (asked === generation) pages.set(key, ready)
      return ready
    },
    list,
    clear: () => {
      generation++
      pages.clear()
      surveys.clear()
    },
  }
}

/** Of both joined tables: a bound on one of them would let the other be read from its beginning. */
function inBoth(bound: typeof gt, name: Name): SQL | undefined {
  return and(bound(pmlRegistry.name, name), bound(pmlRegistry.releaseName, name))
}

/** Callers who see the same entries share pages; a caller without rights over private ones is anyone. */
function audienceOf({ scopes }: Actor): string {
  return scopes
    .filter((scope) => /^(admin$|read:|publish:)/.test(scope))
    .toSorted()
    .join(' ')
}

function keyOf(audience: string, search: string): string {
  return `${audience}?${search}`
}

function readyPage(page: CatalogPage, { search, shared }: { search: string; shared: boolean }): Conditional {
  const bytes = Buffer.from(JSON.stringify(page))
  const etag = `"${integrityOf(bytes)}"`
  const link = linkOf(page, search)
  const headers = {
    ETag: etag,
    'Cache-Control': shared ? 'public, no-cache' : 'private, no-cache',
    ...(link && { Link: link }),
    ...corsHeaders,
  }
  const full = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length), ...headers }
  return {
    etag,
    found: { status: 200, headers: full, body: byteString(bytes) },
    notModified: { status: 304, headers, body: null },
  }
}

/** RFC 8288: on by cursor or page, whichever was used; back by page. */
function linkOf({ page, limit, total, nextCursor }: CatalogPage, search: string): string {
  const to = (changes: Record<string, string>, rel: string) => {
    const parameters = new URLSearchParams(search)
    for (const key of ['page', 'cursor']) parameters.delete(key)
    for (const [key, value] of Object.entries(changes)) parameters.set(key, value)
    return `</mcp?${parameters}>; rel="${rel}"`
  }
  const byCursor = new URLSearchParams(search).has('cursor')
  const last = Math.max(1, Math.ceil(total / limit))
  const links = []
  if (nextCursor) links.push(to(byCursor ? { cursor: nextCursor } : { page: String(page + 1) }, 'next'))
  if (page > 1) links.push(to({ page: String(Math.min(page - 1, last)) }, 'prev'))
  return links.join(', ')
}
