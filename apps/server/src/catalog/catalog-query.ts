import { parseName, PmlError, type Name } from '@pml/core'
import { catalogQuery, type CatalogQuery } from '@pml/core/schemas'

/** After which name a page begins, and which page that is. */
export interface Position {
  readonly page: number
  readonly after: Name
}

/** Every parameter is known, given once and well formed, or the error names it. */
export function parseCatalogQuery(parameters: URLSearchParams): CatalogQuery {
  const given = Object.fromEntries(parameters)
  for (const key of Object.keys(given)) {
    if (parameters.getAll(key).length > 1) throw invalid(key, 'expected it once')
  }
  if ('page' in given && 'cursor' in given) throw invalid('cursor', 'expected either page or cursor')
  const result = catalogQuery.safeParse(given)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const key = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path[0]
  const problem = issue?.code === 'unrecognized_keys' ? 'there is no such parameter' : issue?.message
  throw invalid(String(key), String(problem))
}

export function printCursor({ page, after }: Position): string {
  return Buffer.from(`${page}:${after}`).toString('base64url')
}

export function parseCursor(cursor: string): Position {
  const [, page, after] = /^(\d{1,10}):(.+)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  try {
    return { page: Number(page), after: parseName(after ?? '') }
  } catch {
    throw invalid('cursor', 'expected the nextCursor of an earlier answer')
  }
}

function invalid(key: string, problem: string): PmlError {
  return new PmlError(
    'invalid_query',
    `Cannot list the registry: parameter '${key.slice(0, 64)}': ${problem}`,
    { parameter: key.slice(0, 64) },
  )
}
