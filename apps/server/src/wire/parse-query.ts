import { PmlError } from '@pml/core'
import type { z } from 'zod'

/** Parses query parameters; throws `invalid_query` for one that is unknown, repeated or malformed. */
export function parseQuery<Schema extends z.ZodType>(
  schema: Schema,
  parameters: URLSearchParams,
  doing: string,
): z.output<Schema> {
  const given = Object.fromEntries(parameters)
  for (const key of Object.keys(given)) {
    if (parameters.getAll(key).length > 1) throw invalidQuery(doing, key, 'expected it once')
  }
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const key = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path[0]
  const problem = issue?.code === 'unrecognized_keys' ? 'there is no such parameter' : issue?.message
  throw invalidQuery(doing, String(key), String(problem))
}

export function invalidQuery(doing: string, key: string, problem: string): PmlError {
  const parameter = key.slice(0, 64)
  return new PmlError('invalid_query', `Cannot ${doing}: parameter '${parameter}': ${problem}`, { parameter })
}
