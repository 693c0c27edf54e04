import { parseName, parseReference, PmlError } from '@pml/core'
import {
  approval,
  auditQuery,
  changeQuery,
  checkQuery,
  contentToCheck,
  eventsQuery,
  newChange,
  newKey,
  newPattern,
  nothingAsked,
  registryFile,
  rejection,
  reportQuery,
  spending,
  waitQuery,
} from '@pml/core/schemas'
import { agentNames } from '@pml/hooks'
import { findAdapter, type Adapter } from '@pml/hooks/agents'
import { leavingWith, type AdmittingToolbox, type ToolRegistry } from '@pml/tools'
import type { McpEndpoint } from '@pml/tools/mcp'
import { Hono, type Context } from 'hono'
import type { z } from 'zod'
import { approveChange } from './approvals/approve-change.ts'
import { blockChange } from './approvals/block-change.ts'
import { checkApproval } from './approvals/check-approval.ts'
import { exportRegistry } from './approvals/export-registry.ts'
import { importRegistry } from './approvals/import-registry.ts'
import { listChanges } from './approvals/list-changes.ts'
import { addPattern } from './approvals/patterns/add-pattern.ts'
import { listPatterns } from './approvals/patterns/list-patterns.ts'
import { removePattern } from './approvals/patterns/remove-pattern.ts'
import { rejectChange } from './approvals/reject-change.ts'
import { decisionStream } from './approvals/decision-stream.ts'
import type { Seats } from './approvals/seats.ts'
import { spendApproval } from './approvals/spend-approval.ts'
import { waitForDecision } from './approvals/wait-for-decision.ts'
import { exportAudit } from './audit/export-audit.ts'
import { showLogKey } from './audit/log-key.ts'
import { showHead } from './audit/show-head.ts'
import { searchAudit, SEARCHING } from './audit/search-audit.ts'
import { readFlags } from './approvals/read-flags.ts'
import { readReport } from './approvals/read-report.ts'
import { readSuggestions } from './approvals/read-suggestions.ts'
import { parseCatalogQuery } from './catalog/catalog-query.ts'
import { answerFor, requireCurrent } from './catalog/entry.ts'
import { publish } from './catalog/publish.ts'
import { answerForBlob, parseBlobAddress, readBlob } from './catalog/read-blob.ts'
import { readMetadata } from './catalog/read-metadata.ts'
import { retire } from './catalog/retire.ts'
import type { DocsPage } from './docs/docs-page.ts'
import { openApiDocument } from './docs/openapi.ts'
import { chooseAnswer, toResponse } from './http/answer.ts'
import {
  healthReaderOf,
  onClose,
  readerOf,
  requireOwn,
  toolCallerOf,
  writerOf,
  writerWith,
  type CallerDeps,
} from './http/caller.ts'
import { errorAnswer, RETRY_AFTER_S } from './http/error-response.ts'
import { hookAnswer } from './http/hook-answer.ts'
import { lineStream } from './http/line-stream.ts'
import { allowedMethods, corsPreflight, isForEvents } from './http/methods.ts'
import { observeRequests, type Env, type ObserveDeps } from './http/observe-requests.ts'
import { parseBody } from './http/parse-body.ts'
import { parseQuery } from './http/parse-query.ts'
import { proxyCallIn } from './http/proxy-request.ts'
import { publicationIn } from './http/publication-request.ts'
import type { Bodies, BodyOptions } from './http/read-body.ts'
import { readJson, requireJson } from './http/read-json.ts'
import { readToolArguments, TOOL_LIMIT_BYTES, toolAnswer, unkept } from './http/tool-answer.ts'
import { answerHook } from './hooks/answer-hook.ts'
import type { Hooks } from './hooks/hooks.ts'
import { enforcementEvents, wantedApprovals } from './hooks/hook-bodies.ts'
import { keepHookEvents } from './hooks/keep-hook-events.ts'
import { seekApproval, seekingOf } from './hooks/seek-approval.ts'
import { anonymous, requireScope } from './keys/actor.ts'
import { createKey } from './keys/create-key.ts'
import { listKeys } from './keys/list-keys.ts'
import { revokeKey } from './keys/revoke-key.ts'
import { rotateKey } from './keys/rotate-key.ts'
import type { Proxy } from './proxy/create-proxy.ts'
import { readinessFor } from './readiness.ts'
import type { RegistryContext, RegistryParts } from './registry-tools.ts'
import type { ToolCaller } from './registry-toolbox.ts'

/** The most that an export may hold. */
const importLimits = { limitBytes: 16 * 1024 * 1024, mostValues: 500_000 }

export interface AppDeps extends RegistryParts, CallerDeps, ObserveDeps {
  readonly tools: ToolRegistry<RegistryContext>
  readonly toolbox: AdmittingToolbox<ToolCaller>
  readonly mcp: McpEndpoint<ToolCaller>
  readonly proxy: Proxy
  readonly hooks: Hooks
  readonly docs: DocsPage
  readonly bodies: Bodies
  readonly publicUrl: string | undefined
  /** How many long answers there may be at a time. */
  readonly seats: { readonly exports: Seats; readonly mcp: Seats }
}

export function createApp(deps: AppDeps): Hono<Env> {
  const { db, entries, pages, approvals, audit, learning, tools, toolbox, mcp, proxy, metrics, bodies, log } =
    deps
  const bodyOf = async <Schema extends z.ZodType>(
    schema: Schema,
    c: Context<Env>,
    options: Pick<BodyOptions, 'actor'> & Partial<Parameters<typeof readJson>[2]>,
  ) => parseBody(schema, await readJson(bodies, c, { limitBytes: TOOL_LIMIT_BYTES, ...options }))
  const app = new Hono<Env>()
  app.use(observeRequests(deps))
  app.onError((error, c) => toResponse(errorAnswer(error, { log, requestId: c.get('requestId') })))
  app.options('*', corsPreflight)

  app.get('/mcp', async (c) => {
    if (isForEvents(c.req.header('accept')))
      throw new PmlError('method_not_allowed', 'Cannot GET events: MCP is spoken by POST', { allow: 'POST' })
    const { searchParams, search } = new URL(c.req.url)
    const query = parseCatalogQuery(searchParams)
    const request = { search: search.slice(1), signal: c.req.raw.signal }
    const page = await pages.read(query, await readerOf(deps, c), request)
    return toResponse(chooseAnswer(page, c.req.header('if-none-match')))
  })
  app.post('/mcp', async (c) => {
    requireOwn(deps, c)
    const caller = await toolCallerOf(deps, c)
    const limits = { actor: caller.actor, limitBytes: TOOL_LIMIT_BYTES }
    const response = await mcp.fetch(c.req.raw, caller, (use) => bodies.read(c.env.incoming, limits, use))
    if (response.headers.get('content-type') === 'text/event-stream')
      takeSeat(deps.seats.mcp, c, { caller, response })
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
    const reader = await readerOf(deps, c)
    const entry = await entries.read(name, reader)
    requireCurrent(entry, hash)
    c.header('Cache-Control', entry.visibility === 'public' ? 'no-cache' : 'private, no-cache')
    return c.json(await readMetadata(db, reader, { name, hash }))
  })
  app.put('/mcp/:reference', async (c) => {
    const name = parseName(c.req.param('reference'))
    const actor = await writerOf(deps, c)
    const read = () => publicationIn(c, bodies, { name, actor })
    const published = await publish(deps, actor, { name, read, signal: c.req.raw.signal })
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
    return c.json(await createKey(db, actor, () => bodyOf(newKey, c, { actor })), 201)
  })
  app.get('/keys', async (c) => c.json(await listKeys(db, await readerOf(deps, c))))
  app.post('/keys/:id/rotate', async (c) =>
    c.json(await rotateKey(db, await writerOf(deps, c), c.req.param('id'))),
  )
  app.delete('/keys/:id', async (c) => {
    await revokeKey(db, await writerOf(deps, c), c.req.param('id'))
    return c.body(null, 204)
  })

  app.post('/approvals/changes', async (c) => {
    const actor = await writerWith(deps, c, 'hook')
    const { isNew, ...blocked } = await blockChange(approvals, actor, await bodyOf(newChange, c, { actor }))
    return c.json(blocked, isNew ? 201 : 200)
  })
  app.get('/approvals/changes', async (c) => {
    const actor = await readerOf(deps, c)
    return c.json(
      await listChanges(db, actor, parseQuery(changeQuery, new URL(c.req.url).searchParams, 'list changes')),
    )
  })
  app.get('/approvals/changes/:id', async (c) => {
    const actor = await readerOf(deps, c)
    const { wait: waitSeconds } = parseQuery(waitQuery, new URL(c.req.url).searchParams, 'wait')
    const { signal } = c.req.raw
    return c.json(await waitForDecision(deps, actor, { id: c.req.param('id'), waitSeconds, signal }))
  })
  app.get('/approvals/events', async (c) => {
    const { after } = parseQuery(eventsQuery, eventsParameters(c), 'follow events')
    const actor = await readerOf(deps, c)
    const headers = { ...unkept, 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }
    const stream = decisionStream({ audit, seats: approvals.streams }, actor, after)
    if (c.req.method !== 'HEAD') return c.body(stream, 200, headers)
    // Nobody reads it, so nobody would end it.
    await stream.cancel()
    return c.body(null, 200, headers)
  })
  app.post('/approvals/changes/:id/approve', async (c) => {
    const actor = await writerWith(deps, c, 'approve')
    const request = await bodyOf(approval, c, { actor })
    return c.json(await approveChange(approvals, actor, { id: c.req.param('id'), request }), 200, unkept)
  })
  app.post('/approvals/changes/:id/reject', async (c) => {
    const actor = await writerWith(deps, c, 'approve')
    const request = await bodyOf(rejection, c, { actor })
    return c.json(await rejectChange(approvals, actor, { id: c.req.param('id'), request }))
  })
  app.get('/approvals/check', async (c) => {
    const actor = await readerOf(deps, c)
    const { hash, ...place } = parseQuery(checkQuery, new URL(c.req.url).searchParams, 'check content')
    return c.json(await checkApproval(approvals, actor, { contentHash: hash, ...place }), 200, unkept)
  })
  app.post('/approvals/check', async (c) => {
    const actor = await readerOf(deps, c)
    requireScope(actor, 'hook|approve')
    return c.json(
      await checkApproval(approvals, actor, await bodyOf(contentToCheck, c, { actor })),
      200,
      unkept,
    )
  })
  app.post('/approvals/spend', async (c) => {
    const actor = await writerWith(deps, c, 'hook')
    return c.json(await spendApproval(approvals, actor, await bodyOf(spending, c, { actor })), 200, unkept)
  })
  app.get('/approvals/export', async (c) =>
    c.json(await exportRegistry(db, await writerOf(deps, c)), 200, unkept),
  )
  app.post('/approvals/import', async (c) => {
    const actor = await writerWith(deps, c, 'admin')
    return c.json(
      await importRegistry(approvals, actor, await bodyOf(registryFile, c, { actor, ...importLimits })),
    )
  })
  app.post('/approvals/patterns', async (c) => {
    const actor = await writerWith(deps, c, 'pattern')
    return c.json(await addPattern(approvals, actor, await bodyOf(newPattern, c, { actor })), 201)
  })
  app.get('/approvals/patterns', async (c) => c.json(await listPatterns(db, await readerOf(deps, c))))
  app.delete('/approvals/patterns/:id', async (c) => {
    await removePattern(approvals, await writerOf(deps, c), c.req.param('id'))
    return c.body(null, 204)
  })

  app.post('/hooks/events', async (c) => {
    const actor = await writerWith(deps, c, 'hook')
    const { events } = await bodyOf(enforcementEvents, c, { actor })
    return c.json(await keepHookEvents(db, actor, events))
  })
  app.post('/hooks/approvals', async (c) => {
    const actor = await writerWith(deps, c, 'hook')
    const request = await bodyOf(wantedApprovals, c, { actor })
    return c.json(await seekApproval(deps.hooks, actor, seekingOf(request)))
  })
  app.post('/hooks/:agent', async (c) => {
    const requestId = c.get('requestId')
    const adapter = requireAdapter(c.req.param('agent'))
    const admit = async () => {
      const actor = await writerWith(deps, c, 'hook')
      requireJson(c.req.raw)
      const limits = { actor, limitBytes: TOOL_LIMIT_BYTES }
      return { actor, bytes: await bodies.read(c.env.incoming, limits, (bytes) => bytes) }
    }
    const body = await answerHook({ ...deps.hooks, log }, { adapter, requestId, admit })
    return toResponse(hookAnswer(body, requestId))
  })

  app.get('/audit', async (c) => {
    const query = parseQuery(auditQuery, new URL(c.req.url).searchParams, SEARCHING)
    return c.json(await searchAudit(db, await readerOf(deps, c), query), 200, unkept)
  })
  app.get('/audit/head', async (c) =>
    c.json(await showHead(db, audit.signer, await readerOf(deps, c)), 200, unkept),
  )
  app.get('/audit/key', async (c) => {
    c.header('Cache-Control', 'no-cache')
    return c.json(await showLogKey(db, audit.signer))
  })
  app.get('/audit/export', async (c) => {
    const actor = await readerOf(deps, c)
    const lines = await exportAudit(db, audit.signer, actor)
    onClose(
      c,
      deps.seats.exports.take(actor.id, () => {}),
    )
    return lineStream(lines, (err) => {
      log.error({ requestId: c.get('requestId'), err }, 'an export was cut off')
      c.env.incoming.socket.destroy()
    })
  })
  app.get('/audit/report', async (c) => {
    const query = parseQuery(reportQuery, new URL(c.req.url).searchParams, 'report')
    return c.json(await readReport(learning, await readerOf(deps, c), query))
  })
  app.get('/audit/flags', async (c) => {
    const query = parseQuery(reportQuery, new URL(c.req.url).searchParams, 'report')
    return c.json(await readFlags(db, await readerOf(deps, c), query))
  })
  app.get('/approvals/suggestions', async (c) => {
    parseQuery(nothingAsked, new URL(c.req.url).searchParams, 'suggest patterns')
    return c.json(await readSuggestions(learning, await readerOf(deps, c)))
  })

  app.get('/tools', async (c) => {
    c.header('Cache-Control', 'private, no-cache')
    return c.json({ tools: await toolbox.list(await toolCallerOf(deps, c)) })
  })
  app.post('/tools/:name', async (c) => {
    requireOwn(deps, c)
    const caller = await toolCallerOf(deps, c)
    const name = c.req.param('name')
    toolbox.admit(caller, name)
    const args = await readToolArguments(bodies, c, caller.actor)
    const call = { name, args, leaving: leavingWith(c.req.raw.signal) }
    return toResponse(toolAnswer(await toolbox.call(caller, call), caller.requestId))
  })

  app.on(['GET', 'POST', 'DELETE'], '/proxy/:reference', async (c) => {
    requireOwn(deps, c)
    const call = proxyCallIn(c, bodies, c.req.param('reference'))
    return proxy.call(await writerOf(deps, c), call)
  })

  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const readiness = readinessFor(await healthReaderOf(deps, c), await deps.readiness())
    c.header('Cache-Control', 'no-store')
    if (readiness.status === 'ready') return c.json(readiness)
    return c.json(readiness, 503, { 'Retry-After': String(RETRY_AFTER_S) })
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

/** Callers without a key are told apart by their address. */
function takeSeat(
  seats: Seats,
  c: Context<Env>,
  { caller: { actor, address }, response }: { caller: ToolCaller; response: Response },
): void {
  try {
    onClose(
      c,
      seats.take(actor === anonymous ? address : actor.id, () => {}),
    )
  } catch (error) {
    void response.body?.cancel()
    throw error
  }
}

function requireAdapter(agent: string): Adapter {
  const adapter = findAdapter(agent)
  if (adapter) return adapter
  const known = agentNames.join(', ')
  throw new PmlError('not_found', `There is no agent '${agent.slice(0, 40)}': expected ${known}`)
}

/** Browsers and their like say in a header which event was their last. */
function eventsParameters({ req }: Context): URLSearchParams {
  const parameters = new URL(req.url).searchParams
  const last = req.header('last-event-id')
  if (last !== undefined) parameters.set('after', last)
  return parameters
}
