import { PmlError } from '@pml/core'
import type { Hono } from 'hono'
import { z } from 'zod'
import { answer, anyObject, describeRoutes, inline, inPath, text } from '../docs/describe.ts'
import { openApiDocument } from '../docs/openapi.ts'
import { healthReaderOf } from '../http/caller.ts'
import { RETRY_AFTER_S } from '../db/deadline.ts'
import type { Env } from '../http/observe-requests.ts'
import { readinessFor } from '../readiness.ts'
import type { AppDeps } from './app-deps.ts'

export function addOperations(app: Hono<Env>, deps: AppDeps): void {
  addHealth(app, deps)
  addDocs(app, deps)
}

function addHealth(app: Hono<Env>, deps: AppDeps): void {
  const { metrics } = deps
  app.get('/healthz', docs.getHealth, (c) => c.json({ status: 'ok' }))
  app.get('/readyz', docs.getReadiness, async (c) => {
    const readiness = readinessFor(await healthReaderOf(deps, c), await deps.readiness())
    c.header('Cache-Control', 'no-store')
    if (readiness.status === 'ready') return c.json(readiness)
    return c.json(readiness, 503, { 'Retry-After': String(RETRY_AFTER_S) })
  })
  app.get('/metrics', docs.getMetrics, async (c) =>
    c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
  )
}

function addDocs(app: Hono<Env>, { docs: page, publicUrl, tools }: AppDeps): void {
  // Built once, at the first request, because routes and tools do not change while the server runs.
  let document: Promise<object> | undefined
  app.get('/openapi.json', docs.getOpenApi, async (c) => {
    document ??= openApiDocument(app, { publicUrl, tools: tools.list() })
    return c.json(await document)
  })
  app.get('/docs', docs.getDocs, (c) => c.html(page.html, 200, page.headers))
  app.get('/docs/:file', docs.getDocsFile, async (c) => {
    const name = c.req.param('file')
    const file = await page.findFile(name, c.req.header('accept-encoding'))
    if (!file) throw new PmlError('not_found', `There is no file '${name.slice(0, 100)}' of /docs`)
    return c.body(file.bytes, 200, file.headers)
  })
  app.get('/', docs.getRoot, (c) => c.redirect('/docs', 302))
}

const readiness = z.object({
  status: z.enum(['ready', 'not ready']),
  checks: z.record(z.string(), z.string()).describe('What is wrong with each part; `ok` if nothing is'),
})
const html = { 'text/html': { schema: text } }

const docs = describeRoutes('Operations', {
  getHealth: {
    summary: 'Check that the process is alive',
    access: 'none',
    responses: { 200: answer(inline(z.object({ status: z.literal('ok') })), 'It is alive') },
  },
  getReadiness: {
    summary: 'Check that the registry is ready',
    description:
      'Checks the database, its migrations and the configuration. Needs no key; a key with the scope `admin` sees what is wrong.',
    access: 'none',
    responses: {
      200: answer(inline(readiness), 'It is ready'),
      503: answer(inline(readiness), 'It is not ready'),
    },
    fails: [401, 429],
  },
  getMetrics: {
    summary: 'Get metrics for Prometheus',
    access: 'none',
    responses: { 200: { description: 'Prometheus text', content: { 'text/plain': { schema: text } } } },
  },
  getOpenApi: {
    summary: 'Get this document',
    access: 'none',
    responses: { 200: answer(anyObject, 'OpenAPI 3.1') },
  },
  getDocs: {
    summary: 'Open the API reference',
    access: 'none',
    responses: { 200: { description: 'The page', content: html } },
  },
  getDocsFile: {
    summary: 'Get a file of the API reference',
    access: 'none',
    parameters: [inPath('file', 'The name that the page gives', 'scalar-0123456789abcdef.js')],
    responses: {
      200: {
        description: 'The file. Its name changes with its content.',
        content: { 'text/javascript': { schema: text }, 'text/css': { schema: text } },
      },
    },
    fails: [404],
  },
  getRoot: {
    summary: 'Go to the API reference',
    access: 'none',
    responses: { 302: { description: 'A redirect to /docs' }, default: { description: 'An error' } },
  },
})
