import { parseName, parseReference, PmlError } from '@pml/core'
import { newKey } from '@pml/core/schemas'
import { leavingWith, type Toolbox, type ToolRegistry } from '@pml/tools'
import type { McpEndpoint } from '@pml/tools/mcp'
import { Hono } from 'hono'
import { parseCatalogQuery } from './catalog/catalog-query.ts'
import { answerFor, requireCurrent } from './catalog/entry.ts'
import { publish } from './catalog/publish.ts'
import { answerForBlob, parseBlobAddress, readBlob } from './catalog/read-blob.ts'
import { readMetadata } from './catalog/read-metadata.ts'
import { retire } from './catalog/retire.ts'
import type { DocsPage } from './docs/docs-page.ts'
import { openApiDocument } from './docs/openapi.ts'
import { chooseAnswer, toResponse } from './http/answer.ts'
import { readerOf, requireOwn, toolCallerOf, writerOf, type CallerDeps } from './http/caller.ts'
import { errorAnswer } from './http/error-response.ts'
import { allowedMethods, corsPreflight, isForEvents } from './http/methods.ts'
import { observeRequests, type Env, type ObserveDeps } from './http/observe-requests.ts'
import { parseBody } from './http/parse-body.ts'
import { proxyCallIn } from './http/proxy-request.ts'
import { publicationIn } from './http/publication-request.ts'
import { readJson } from './http/read-json.ts'
import { readToolArguments, toolAnswer, unkept } from './http/tool-answer.ts'
import { createKey } from './keys/create-key.ts'
import { listKeys } from './keys/list-keys.ts'
import { revokeKey } from './keys/revoke-key.ts'
import { rotateKey } from './keys/rotate-key.ts'
import type { Proxy } from './proxy/create-proxy.ts'
import type { RegistryContext, RegistryParts } from './registry-tools.ts'
import type { ToolCaller } from './registry-toolbox.ts'

export interface AppDeps extends RegistryParts, CallerDeps, ObserveDeps {
  readonly tools: ToolRegistry<RegistryContext>
  readonly toolbox: Toolbox<ToolCaller>
  readonly mcp: McpEndpoint<ToolCaller>
  readonly proxy: Proxy
  readonly docs: DocsPage
  readonly publicUrl: string | undefined
}

export function createApp(deps: AppDeps): Hono<Env> {
  const { db, entries, pages, tools, toolbox, mcp, proxy, metrics, log } = deps
  const app = new Hono<Env>()
  app.use(observeRequests(deps))
  app.onError((error, c) => toResponse(errorAnswer(error, { log, requestId: c.get('requestId') })))
  app.options('*', corsPreflight)

  app.get('/mcp', async (c) => {
    if (isForEvents(c.req.header('accept')))
      throw new PmlError('method_not_allowed', 'Cannot GET events: MCP is spoken by POST', { allow: 'POST' })
    const { searchParams, search } = new URL(c.req.url)
    const page = await pages.read(parseCatalogQuery(searchParams), await readerOf(deps, c), search.slice(1))
    return toResponse(chooseAnswer(page, c.req.header('if-none-match')))
  })
  app.post('/mcp', async (c) => {
    requireOwn(deps, c)
    const response = await mcp.fetch(c.req.raw, await toolCallerOf(deps, c))
    for (const [key, value] of Object.entries(unkept)) response.headers.set(key, value)
    return response
  })
  app.get('/mcp/:reference', async (c) => {
    const { name, hash } = parseReference(c.req.param('reference'))
    const entry = await entries.read(name, await readerOf(deps, c, entries.peek(name)))
    return toResponse(answerFor(entry, hash, c.req.header('if-none-match')))
  })
  app.get('/mcp/:reference/metadata', async (c) => {
    const { name, hash } = parseReference(c.req.param('reference'))
    const entry = await entries.read(name, await readerOf(deps, c))
    requireCurrent(entry, hash)
    c.header('Cache-Control', entry.visibility === 'public' ? 'no-cache' : 'private, no-cache')
    return c.json(await readMetadata(db, { name, hash }))
  })
  app.put('/mcp/:reference', async (c) => {
    const name = parseName(c.req.param('reference'))
    const read = () => publicationIn(c.req.raw, name)
    const published = await publish(deps, await writerOf(deps, c), { name, read, signal: c.req.raw.signal })
    c.header('Location', `/mcp/${published.fqdn}`)
    c.header('ETag', `"${published.integrity}"`)
    return c.json(published, published.created ? 201 : 200)
  })
  app.delete('/mcp/:reference', async (c) => {
    await retire(deps, await writerOf(deps, c), parseName(c.req.param('reference')))
    return c.body(null, 204)
  })
  app.get('/blobs/:integrity', async (c) => {
    const integrity = parseBlobAddress(c.req.param('integrity'))
    const blob = await readBlob(db, await readerOf(deps, c), integrity)
    return toResponse(chooseAnswer(answerForBlob(blob), c.req.header('if-none-match')))
  })
  app.get('/api/registry', (c) => c.redirect(c.req.url.replace(/^.*?\/api\/registry/, '/mcp'), 308))
  app.get('/api/registry/:reference', (c) =>
    c.redirect(c.req.url.replace(/^.*?\/api\/registry/, '/mcp'), 308),
  )

  app.post('/keys', async (c) => {
    const actor = await writerOf(deps, c)
    const read = async () => parseBody(newKey, await readJson(c.req.raw))
    return c.json(await createKey(db, actor, read), 201)
  })
  app.get('/keys', async (c) => c.json(await listKeys(db, await readerOf(deps, c))))
  app.post('/keys/:id/rotate', async (c) =>
    c.json(await rotateKey(db, await writerOf(deps, c), c.req.param('id'))),
  )
  app.delete('/keys/:id', async (c) => {
    await revokeKey(db, await writerOf(deps, c), c.req.param('id'))
    return c.body(null, 204)
  })

  app.get('/tools', async (c) => {
    c.header('Cache-Control', 'private, no-cache')
    return c.json({ tools: await toolbox.list(await toolCallerOf(deps, c)) })
  })
  app.post('/tools/:name', async (c) => {
    requireOwn(deps, c)
    const caller = await toolCallerOf(deps, c)
    const args = await readToolArguments(c.req.raw)
    const call = { name: c.req.param('name'), args, leaving: leavingWith(c.req.raw.signal) }
    return toResponse(toolAnswer(await toolbox.call(caller, call), caller.requestId))
  })

  app.on(['GET', 'POST', 'DELETE'], '/proxy/:reference', async (c) => {
    requireOwn(deps, c)
    const call = proxyCallIn(c, c.req.param('reference'))
    return proxy.call(await writerOf(deps, c), call)
  })

  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const readiness = await deps.readiness()
    return c.json(readiness, readiness.status === 'ready' ? 200 : 503)
  })
  app.get('/metrics', async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }))
  app.get('/openapi.json', (c) => c.json(openApiDocument(deps.publicUrl, tools.list())))
  app.get('/docs', (c) => c.html(deps.docs.html, 200, deps.docs.headers))
  app.get('/', (c) => c.redirect('/docs', 302))

  for (const [path, allow] of allowedMethods(app)) {
    app.all(path, (c) => {
      throw new PmlError('method_not_allowed', `Cannot ${c.req.method} ${path}: expected ${allow}`, { allow })
    })
  }
  app.notFound((c) => {
    const error = new PmlError('not_found', `There is nothing at ${c.req.path.slice(0, 100)}; see /docs`)
    return toResponse(errorAnswer(error, { log, requestId: c.get('requestId') }))
  })
  return app
}
