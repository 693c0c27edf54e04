import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Logger } from 'pino'
import { corsHeaders, writeAnswer, type Answer } from '../wire/answer.ts'
import { addressOf } from './caller.ts'
import { withDeadline } from '../db/deadline.ts'
import { errorAnswer } from '../wire/error-response.ts'
import { LINES_OF_JSON } from '../wire/line-stream.ts'
import { isRead, type Recorder } from '../wire/record-requests.ts'

export interface Env {
  Variables: {
    requestId: string
    /** Extra response headers, for results and errors. */
    notice?: Readonly<Record<string, string>>
  }
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse }
}

export interface ObserveDeps {
  readonly log: Logger
  readonly recorder: Recorder
  readonly trustProxy: boolean
}

const READ_DEADLINE_MS = 10_000
/** Leaves time for slow uploads. */
const WRITE_DEADLINE_MS = 60_000
/** Longer than the longest wait for a decision. */
const WAIT_DEADLINE_MS = 70_000
/** Longer than the limits of tools and proxied servers, whose errors say more than this timeout. */
const CALL_DEADLINE_MS = 600_000

/** Gives each request an id, a deadline, a log line and a metric. */
export function observeRequests({ log, recorder, trustProxy }: ObserveDeps): MiddlewareHandler<Env> {
  return async (c, next) => {
    const beganMs = performance.now()
    const { method, path } = c.req
    const requestId = recorder.requestIdOf(c.env.incoming.headers['x-request-id'])
    c.set('requestId', requestId)
    try {
      if (isRead(method)) recorder.countRead(path, addressOf(c, trustProxy))
      await withDeadline(next(), deadlineFor(method, path))
    } catch (error) {
      c.res = send(c, errorAnswer(error, { log, requestId }))
    }
    if (!c.env.outgoing.headersSent) await completeHeaders(c)
    const route = matchedRoutes(c).findLast(({ method }) => method !== 'ALL')?.path ?? 'none'
    const status = c.env.outgoing.headersSent ? c.env.outgoing.statusCode : c.res.status
    recorder.record({ requestId, method, path, route, status, beganMs })
  }
}

/** Sends a complete response directly to the socket. Bypassing the streams of `Response` triples the throughput. */
export function send(c: Context<Env>, answer: Answer): Response {
  const { incoming, outgoing } = c.env
  if (!outgoing.headersSent) {
    const own = isRead(incoming.method) ? corsHeaders : { 'X-Request-Id': c.get('requestId') }
    writeAnswer(incoming, outgoing, { ...answer, headers: { ...answer.headers, ...own, ...c.get('notice') } })
  }
  return RESPONSE_ALREADY_SENT
}

function deadlineFor(method: string, path: string): number {
  if (path.startsWith('/proxy/')) return CALL_DEADLINE_MS
  if (isRead(method)) return path.startsWith('/approvals/changes/') ? WAIT_DEADLINE_MS : READ_DEADLINE_MS
  const isCall = method === 'POST' && (path === '/mcp' || path.startsWith('/tools/'))
  return isCall ? CALL_DEADLINE_MS : WRITE_DEADLINE_MS
}

/** Adds the headers that `send` has already set on an `Answer`. */
async function completeHeaders(c: Context<Env>): Promise<void> {
  const { method } = c.req
  if (method === 'HEAD' && isMeasurable(c.res.headers)) await measure(c)
  if (isRead(method)) for (const [key, value] of Object.entries(corsHeaders)) c.header(key, value)
  else c.header('X-Request-Id', c.get('requestId'))
}

/** Reports whether the length of the body can be computed; that of a stream cannot. */
function isMeasurable(headers: Headers): boolean {
  const type = headers.get('content-type') ?? ''
  return !headers.has('content-length') && type !== LINES_OF_JSON && type !== 'text/event-stream'
}

/** Sets Content-Length on a HEAD response, as GET would (RFC 9110, 9.3.2). */
async function measure(c: Context<Env>): Promise<void> {
  const { byteLength } = await c.res.clone().arrayBuffer()
  c.header('Content-Length', String(byteLength))
}
