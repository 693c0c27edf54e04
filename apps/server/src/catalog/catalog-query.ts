import { parseName, type Name } from '@pml/core'
import { catalogQuery, type CatalogQuery } from '@pml/core/schemas'
import { invalidQuery, parseQuery } from '../wire/parse-query.ts'

/** Where a page begins: after this name and, in a search, after this score. */
export interface Position {
  readonly page: number
  readonly after: Name
  readonly score?: number | undefined
}
export type RankedPosition = Position & { readonly score: number }

/** A search ranks its best matches only: pages end there, however many entries match. */
export const MOST_RANKED = 500

const DOING = 'list the registry'

export function parseCatalogQuery(parameters: URLSearchParams): CatalogQuery {
  const query = parseQuery(catalogQuery, parameters, DOING)
  if (parameters.has('page') && query.cursor !== undefined)
    throw invalidQuery(DOING, 'cursor', 'expected either page or cursor')
  if (query.q !== undefined && query.page > 1 && query.page * query.limit > MOST_RANKED) {
    const last = Math.floor(MOST_RANKED / query.limit)
    const problem = `expected at most ${last}, because a search ranks the best ${MOST_RANKED} entries; search for more words`
    throw invalidQuery(DOING, 'page', problem)
  }
  return query
}

/** Opaque to clients. A search has the score in front of the name. */
export function printCursor({ page, score, after }: Position): string {
  return Buffer.from([page, ...(score === undefined ? [] : [score]), after].join(':')).toString('base64url')
}

/** Throws `invalid_query` for anything but the cursor of an earlier page, and for a search's cursor elsewhere. */
export function parseCursor(cursor: string, { isSearch }: { isSearch: boolean }): Position {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, page, score, after] = /^(\d{1,10}):(?:(\d{1,9}):)?([^:]+)$/.exec(text) ?? []
  try {
    if ((score !== undefined) !== isSearch) throw new Error('of another list')
    return {
      page: Number(page),
      after: parseName(after ?? ''),
      ...(score !== undefined && { score: Number(score) }),
    }
  } catch {
    throw invalidQuery(DOING, 'cursor', 'expected the nextCursor of an earlier answer to the same question')
  }
}
