import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Logger } from 'pino'
import type { Metrics } from '../metrics.ts'
import { corsHeaders, toResponse } from './answer.ts'
import { addressOf } from './caller.ts'
import { withDeadline } from './deadline.ts'
import { errorAnswer } from './error-response.ts'
import { LINES_OF_JSON } from './line-stream.ts'
import type { RateLimit } from './rate-limit.ts'

export interface Env {
  Variables: { requestId: string }
  Bindings: {
    incoming: IncomingMessage
    outgoing?: Pick<ServerResponse, 'once' | 'destroy' | 'closed'>
  }
}

export interface ObserveDeps {
  readonly log: Logger
  readonly metrics: Metrics
  readonly reads: RateLimit | undefined
  readonly trustProxy: boolean
  readonly newRequestId: () => string
}

/** A slow upload may take its time. */
const READ_DEADLINE_MS = 10_000
const WRITE_DEADLINE_MS = 60_000
/** Longer than anybody may wait for a decision. */
const WAIT_DEADLINE_MS = 70_000
/** Longer than any tool and any proxied server may take: what ends those has a better word for it. */
const CALL_DEADLINE_MS = 600_000

/** What a limit on reads is about; health and metrics are for those who run the registry. */
const counted = /^\/(?:mcp|blobs|api\/registry)(?:\/|$)/
const givenId = /^[\w.-]{1,64}$/

/** A request id, a line in the log and a measurement for each request that is not answered from memory. */
export function observeRequests({
  log,
  metrics,
  reads,
  trustProxy,
  newRequestId,
}: ObserveDeps): MiddlewareHandler<Env> {
  return async (c, next) => {
    const began = performance.now()
    const requestId = requestIdOf(c.req.header('x-request-id'), newRequestId)
    c.set('requestId', requestId)
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    try {
      if (isRead && counted.test(c.req.path)) reads?.take(addressOf(c, trustProxy))
      await withDeadline(next(), deadlineFor(c.req.method, c.req.path))
    } catch (error) {
      c.res = toResponse(errorAnswer(error, { log, requestId }))
    }
    if (c.req.method === 'HEAD' && isMeasurable(c.res.headers)) await measure(c)
    if (isRead) for (const [key, value] of Object.entries(corsHeaders)) c.header(key, value)
    else c.header('X-Request-Id', requestId)
    const seconds = (performance.now() - began) / 1000
    const route = matchedRoutes(c).findLast(({ method }) => method !== 'ALL')?.path ?? 'none'
    const { method, status } = { method: c.req.method, status: c.res.status }
    metrics.observe({ route, method, status, seconds })
    const line = { requestId, method, path: c.req.path.slice(0, 400), status, ms: Math.round(seconds * 1000) }
    if (isRead) log.debug(line, 'request')
    else log.info(line, 'request')
  }
}

function deadlineFor(method: string, path: string): number {
  if (path.startsWith('/proxy/')) return CALL_DEADLINE_MS
  const isRead = method === 'GET' || method === 'HEAD'
  if (isRead) return path.startsWith('/approvals/changes/') ? WAIT_DEADLINE_MS : READ_DEADLINE_MS
  const isCall = method === 'POST' && (path === '/mcp' || path.startsWith('/tools/'))
  return isCall ? CALL_DEADLINE_MS : WRITE_DEADLINE_MS
}

/** The caller's own, if it is one that a log can hold. */
export function requestIdOf(given: string | string[] | undefined, newRequestId: () => string): string {
  return typeof given === 'string' && givenId.test(given) ? given : newRequestId()
}

/** Nobody knows how long a stream is before its end. */
function isMeasurable(headers: Headers): boolean {
  const type = headers.get('content-type') ?? ''
  return !headers.has('content-length') && type !== LINES_OF_JSON && type !== 'text/event-stream'
}

/** HEAD says how long the answer to GET would be (RFC 9110, 9.3.2); only ready answers know it beforehand. */
async function measure(c: Context<Env>): Promise<void> {
  const { byteLength } = await c.res.clone().arrayBuffer()
  c.header('Content-Length', String(byteLength))
}
