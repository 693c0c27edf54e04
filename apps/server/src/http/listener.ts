import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { findReference, PmlError, type Reference } from '@pml/core'
import type { Logger } from 'pino'
import type { CatalogPages } from '../catalog/catalog-pages.ts'
import type { CurrentEntries } from '../catalog/current-entries.ts'
import { answerFor, type Entry } from '../catalog/entry.ts'
import type { Metrics } from '../metrics.ts'
import { chooseAnswer, type Answer } from './answer.ts'
import { findDirectCall, type DirectCall, type DirectCallDeps } from './direct-calls.ts'
import { findDirectApproval, type DirectApprovalDeps } from './direct-approvals.ts'
import { findDirectHook, type DirectHookDeps } from './direct-hooks.ts'
import { errorAnswer } from './error-response.ts'
import { isForEvents } from './methods.ts'
import { requestIdOf } from './observe-requests.ts'

export interface ListenerDeps {
  readonly calls: DirectCallDeps
  readonly approvals: DirectApprovalDeps
  readonly hooks: DirectHookDeps
  readonly entries: CurrentEntries
  readonly pages: CatalogPages
  readonly metrics: Metrics
  /** Everything but plain reads of public entries, and whatever is wrong with those. */
  readonly routed: RequestListener
  readonly log: Logger
  readonly newRequestId: () => string
}

const ENTRY = '/mcp/'

/** Reads that need no key go straight to the socket, from memory if they can; the routes give the same answers slower. */
export function createListener({
  entries,
  pages,
  metrics,
  routed,
  log,
  newRequestId,
  calls,
  approvals,
  hooks,
}: ListenerDeps): RequestListener {
  function readEntry(request: IncomingMessage, response: ServerResponse, reference: Reference): void {
    const send = (entry: Entry | undefined) => {
      const answer = entry?.visibility === 'public' && tryAnswer(entry, reference.hash, request)
      if (answer) sendAnswer(request, response, { route: '/mcp/:reference', answer })
      else routed(request, response)
    }
    const held = entries.peek(reference.name)
    if (held) send(held)
    else
      entries.find(reference.name).then(send, (error) => {
        sendAnswer(request, response, {
          route: '/mcp/:reference',
          answer: errorAnswer(error, { log, requestId: newRequestId() }),
        })
      })
  }

  function readPage(request: IncomingMessage, response: ServerResponse, search: string): void {
    const page = isForEvents(request.headers.accept) ? undefined : pages.peek(search)
    if (!page) return void routed(request, response)
    sendAnswer(request, response, {
      route: '/mcp',
      answer: chooseAnswer(page, request.headers['if-none-match']),
    })
  }

  function answerCall(
    { route, answer: find }: DirectCall,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const requestId = requestIdOf(request.headers['x-request-id'], newRequestId)
    const send = (answer: Answer | undefined) => {
      if (!answer) routed(request, response)
      else if (!response.destroyed) sendAnswer(request, response, { route, answer })
    }
    find(request, response, requestId).then(send, (error) => send(errorAnswer(error, { log, requestId })))
  }

  function sendAnswer(
    request: IncomingMessage,
    response: ServerResponse,
    { route, answer }: { route: string; answer: Answer },
  ): void {
    metrics.countDirect(route, answer.status)
    response.writeHead(answer.status, answer.headers)
    if (answer.body !== null && request.method !== 'HEAD') response.end(answer.body, 'latin1')
    else response.end()
  }

  return (request, response) => {
    const { method, url = '', headers } = request
    const isPlainRead = (method === 'GET' || method === 'HEAD') && headers.authorization === undefined
    if (!isPlainRead) {
      const call =
        findDirectHook(hooks, request) ??
        findDirectApproval(approvals, request) ??
        findDirectCall(calls, request)
      return call ? answerCall(call, request, response) : void routed(request, response)
    }
    if (url === '/mcp' || url.startsWith('/mcp?'))
      return readPage(request, response, url.slice('/mcp?'.length))
    const reference = url.startsWith(ENTRY) ? findReference(url.slice(ENTRY.length)) : undefined
    if (reference) readEntry(request, response, reference)
    else routed(request, response)
  }
}

/** Undefined where the answer is an error: the routes say which. */
function tryAnswer(entry: Entry, hash: string | undefined, { headers }: IncomingMessage): Answer | undefined {
  try {
    return answerFor(entry, hash, headers['if-none-match'])
  } catch (error) {
    if (error instanceof PmlError) return undefined
    throw error
  }
}
