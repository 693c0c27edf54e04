import { parseName, type Name } from '@pml/core'
import { catalogQuery, type CatalogQuery } from '@pml/core/schemas'
import { invalidQuery, parseQuery } from '../wire/parse-query.ts'

/** The start of a page: after this name and, in a search, this score. */
export interface Position {
  readonly page: number
  readonly after: Name
  readonly score?: number | undefined
}
export type RankedPosition = Position & { readonly score: number }

/** The number of matches that a search ranks; pages end there. */
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

/** Prints an opaque cursor; that of a search includes the score. */
export function printCursor({ page, score, after }: Position): string {
  return Buffer.from([page, ...(score === undefined ? [] : [score]), after].join(':')).toString('base64url')
}

/** Parses a cursor; throws `invalid_query` if it is malformed, or mixes up lists and searches. */
export function parseCursor(cursor: string, { isSearch }: { isSearch: boolean }): Position {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, page, score, after] = /^(\d{1,10}):(?:(\d{1,9}):)?([^:]+)$/.exec(text) ?? []
  try {
    if ((score !== undefined) !== isSearch) throw new Error('cursor of another list')
    return {
      page: Number(page),
      after: parseName(after ?? ''),
      ...(score !== undefined && { score: Number(score) }),
    }
  } catch {
    throw invalidQuery(DOING, 'cursor', 'expected the nextCursor of an earlier response to the same query')
  }
}
