import { integrityOf } from '@pml/core'
import type { CatalogPage, CatalogQuery } from '@pml/core/schemas'
import { LRUCache } from 'lru-cache'
import { byteString, corsHeaders, type Conditional } from '../wire/answer.ts'
import type { Actor } from '../keys/actor.ts'
import { audienceOf } from './catalog-filter.ts'
import type { CatalogLane } from './catalog-lane.ts'
import { parseCursor, printCursor, type Position, type RankedPosition } from './catalog-query.ts'
import { createCatalogList, readItems, type Total } from './list-catalog.ts'
import { searchCatalog, type Ranked } from './search-catalog.ts'

/** Caches pages of the catalog until anything in the registry changes. */
export interface CatalogPages {
  /** Returns a cached page for anonymous callers; `search` is the raw query string. */
  peek(search: string): Conditional | undefined
  read(query: CatalogQuery, actor: Actor, request: PageRequest): Promise<Conditional>
  /** Throws `unavailable` when too many requests wait. */
  list(query: CatalogQuery, actor: Actor, signal?: AbortSignal): Promise<CatalogPage>
  clear(): void
}

interface PageRequest {
  readonly search: string
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal
}

const OVERHEAD_BYTES = 1500
/** Short, because the words of a new entry are indexed after the entry is published. */
const SEARCH_TTL_MS = 5000

export function createCatalogPages(lane: CatalogLane, { maxBytes }: { maxBytes: number }): CatalogPages {
  const pages = new LRUCache<string, Conditional>({
    maxSize: maxBytes,
    sizeCalculation: ({ found }) => OVERHEAD_BYTES + (found.body?.length ?? 0),
  })
  const byName = createCatalogList()
  let generation = 0

  function list(query: CatalogQuery, actor: Actor, signal?: AbortSignal): Promise<CatalogPage> {
    const { q, limit } = query
    const position =
      query.cursor === undefined ? undefined : parseCursor(query.cursor, { isSearch: q !== undefined })
    // One more row than shown tells whether there is another page.
    const window = { limit: limit + 1, skip: position ? 0 : (query.page - 1) * limit }
    return lane.run(signal, async (ask, sql) => {
      const found =
        q === undefined
          ? await byName
              .list(ask, sql, { query, actor, after: position?.after, limit: limit + 1 })
              .then(({ names, ...total }) => ({ ...total, rows: names.map((name): Place => ({ name })) }))
          : await searchCatalog(ask, sql, {
              query: { ...query, q },
              actor,
              window: { ...window, after: position as RankedPosition | undefined },
            })
      const { rows, total, totalIsExact }: Total & { rows: readonly Place[] } = found
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      const page = position?.page ?? query.page
      return {
        items: await readItems(
          ask,
          sql,
          shown.map(({ name }) => name),
        ),
        total,
        totalIsExact,
        page,
        limit,
        ...(last && { nextCursor: printCursor({ page: page + 1, after: last.name, score: last.score }) }),
      }
    })
  }

  return {
    peek: (search) => pages.get(keyOf('', search)),
    read: async (query, actor, { search, signal }) => {
      const key = keyOf(audienceOf(actor), search)
      const kept = pages.get(key)
      if (kept) return kept
      const generationBefore = generation
      const page = await list(query, actor, signal)
      const ready = readyPage(page, { search, shared: audienceOf(actor) === '' })
      if (generationBefore === generation)
        pages.set(key, ready, query.q === undefined ? {} : { ttl: SEARCH_TTL_MS })
      return ready
    },
    list,
    clear: () => {
      generation++
      pages.clear()
      byName.clear()
    },
  }
}

/** A row of a list or of a search. */
type Place = Pick<Ranked, 'name'> & Pick<Position, 'score'>

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

/** Returns the Link header (RFC 8288): `next` by cursor or page, as in the request; `prev` by page. */
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
