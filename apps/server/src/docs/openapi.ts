import { errorTable } from '@pml/core'
import { errorBody } from '@pml/core/schemas'
import type { ListedTool } from '@pml/tools'
import { toolPaths } from '@pml/tools/http'
import type { Hono } from 'hono'
import { generateSpecs } from 'hono-openapi'
import { z } from 'zod'
import type { Env } from '../http/observe-requests.ts'
import { VERSION } from '../version.ts'
import { answer, errorResponses, named, responseName, securityFor, tags } from './describe.ts'

const ABOUT = `A registry of MCPs in which nothing changes silently.

**Authentication.** Send a key as \`Authorization: Bearer pml_…\`. A key has scopes, and each operation names the scope
that it needs. Public entries are read without a key.

**Errors.** Every error is JSON: \`error\` is a code from a closed list, \`message\` says what went wrong and how to fix it.
429 and 503 have \`Retry-After\`.`

interface About {
  readonly publicUrl: string | undefined
  readonly tools: readonly ListedTool[]
}

/** Returns the OpenAPI 3.1 document, from the descriptions of the routes and the definitions of the tools. */
export async function openApiDocument(app: Hono<Env>, { publicUrl, tools }: About): Promise<object> {
  const document = await generateSpecs(app, {
    excludeStaticFile: false,
    documentation: {
      info: { title: 'PML Registry', version: VERSION, description: ABOUT, license },
      servers: [{ url: publicUrl ?? '/' }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', bearerFormat: 'pml_<id>_<secret>' } },
        responses,
      },
    },
  })
  return { ...document, paths: { ...document.paths, ...toolPaths(tools, aroundTools) } }
}

const license = { name: 'MIT', identifier: 'MIT' }

const error = named('Error', errorBody.extend({ error: z.enum(Object.keys(errorTable)) }))

/** Statuses that no route documents: a refused header, or a client that disconnected. */
const elsewhere: readonly number[] = [417, 499]

/** A response for each other status of the error table; its description lists the status's codes. */
const responses = Object.fromEntries(
  [...new Set(Object.values(errorTable).map(({ status }) => status))]
    .filter((status) => !elsewhere.includes(status))
    .map((status) => {
      const codes = Object.entries(errorTable).filter(([, entry]) => entry.status === status)
      return [responseName(status), answer(error, codes.map(([code]) => `\`${code}\``).join(', '))]
    }),
)

const toolFails = [400, 401, 403, 404, 408, 409, 410, 413, 415, 422, 429, 500, 503, 504, 507]
const aroundTools = {
  tag: 'Tools',
  security: (scope: string | undefined) => securityFor(scope === undefined ? 'optional' : { scope }),
  failures: errorResponses(toolFails),
}
