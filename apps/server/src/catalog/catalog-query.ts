import { parseName, type Name } from '@pml/core'
import { catalogQuery, type CatalogQuery } from '@pml/core/schemas'
import { invalidQuery, parseQuery } from '../http/parse-query.ts'

/** After which name a page begins, and which page that is. */
export interface Position {
  readonly page: number
  readonly after: Name
}

const DOING = 'list the registry'

export function parseCatalogQuery(parameters: URLSearchParams): CatalogQuery {
  const query = parseQuery(catalogQuery, parameters, DOING)
  if (parameters.has('page') && query.cursor !== undefined)
    throw invalidQuery(DOING, 'cursor', 'expected either page or cursor')
  return query
}

export function printCursor({ page, after }: Position): string {
  return Buffer.from(`${page}:${after}`).toString('base64url')
}

export function parseCursor(cursor: string): Position {
  const [, page, after] = /^(\d{1,10}):(.+)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  try {
    return { page: Number(page), after: parseName(after ?? '') }
  } catch {
    throw invalidQuery(DOING, 'cursor', 'expected the nextCursor of an earlier answer')
  }
}
