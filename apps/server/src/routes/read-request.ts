import type { Context } from 'hono'
import type { z } from 'zod'
import type { Env } from '../http/observe-requests.ts'
import { parseBody } from '../wire/parse-body.ts'
import { parseQuery } from '../wire/parse-query.ts'
import type { BodyOptions } from '../wire/read-body.ts'
import { readJson } from '../wire/read-json.ts'
import { TOOL_LIMIT_BYTES } from '../wire/read-body.ts'
import type { AppDeps } from './app-deps.ts'

type ReadOptions = Pick<BodyOptions, 'actor'> & Partial<Parameters<typeof readJson>[2]>

/** Reads the JSON body of an authenticated caller and validates it against the schema. */
export async function bodyOf<Schema extends z.ZodType>(
  { bodies }: Pick<AppDeps, 'bodies'>,
  c: Context<Env>,
  { schema, ...options }: ReadOptions & { readonly schema: Schema },
): Promise<z.infer<Schema>> {
  return parseBody(
    schema,
    await readJson(bodies, c.env.incoming, { limitBytes: TOOL_LIMIT_BYTES, ...options }),
  )
}

/** Parses the query; `doing` starts the error message. */
export function queryOf<Schema extends z.ZodType>(c: Context, schema: Schema, doing: string) {
  return parseQuery(schema, searchParamsOf(c), doing)
}

export function searchParamsOf(c: Context): URLSearchParams {
  return new URL(c.req.url).searchParams
}
