import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { findReference, PmlError, type Reference } from '@pml/core'
import type { Logger } from 'pino'
import type { CatalogPages } from '../catalog/catalog-pages.ts'
import type { CurrentEntries } from '../catalog/current-entries.ts'
import { answerFor, type Entry } from '../catalog/entry.ts'
import { chooseAnswer, writeAnswer, type Answer } from '../wire/answer.ts'
import { nearestHop } from './caller.ts'
import { errorAnswer } from '../wire/error-response.ts'
import { isForEvents } from './methods.ts'
import { isRead, type Recorder } from '../wire/record-requests.ts'

interface ReadLaneDeps {
  readonly entries: CurrentEntries
  readonly pages: CatalogPages
  readonly recorder: Recorder
  readonly trustProxy: boolean
  readonly log: Logger
  /** Handles all other requests. */
  readonly routed: RequestListener
}

const ENTRIES = '/mcp/'
const PAGES = '/mcp?'

/**
 * Serves anonymous reads of public entries and of cached catalog pages, five times as many a second as the routes do.
 * It uses the routes' code to parse, respond, limit, log and measure, and leaves all other requests to them.
 */
export function createReadLane({
  entries,
  pages,
  recorder,
  trustProxy,
  log,
  routed,
}: ReadLaneDeps): RequestListener {
  function readEntry(request: IncomingMessage, response: ServerResponse, reference: Reference): void {
    const beganMs = performance.now()
    const reply = (entry: Entry | undefined) => {
      const answer = entry?.visibility === 'public' && findAnswer(entry, reference.hash, request)
      if (answer) send({ request, response, route: '/mcp/:reference', beganMs }, answer)
      else routed(request, response)
    }
    const held = entries.peek(reference.name)
    if (held) reply(held)
    else entries.find(reference.name).then(reply, () => routed(request, response))
  }

  function readPage(request: IncomingMessage, response: ServerResponse, search: string): void {
    const beganMs = performance.now()
    const page = isForEvents(request.headers.accept) ? undefined : pages.peek(search)
    if (!page) return void routed(request, response)
    const answer = chooseAnswer(page, request.headers['if-none-match'])
    send({ request, response, route: '/mcp', beganMs }, answer)
  }

  interface Exchange {
    readonly request: IncomingMessage
    readonly response: ServerResponse
    readonly route: string
    readonly beganMs: number
  }

  function send({ request, response, route, beganMs }: Exchange, found: Answer): void {
    const { method = '', url = '', headers } = request
    const requestId = recorder.requestIdOf(headers['x-request-id'])
    const [path = ''] = url.split('?', 1)
    let answer = found
    try {
      recorder.countRead(path, nearestHop(request, trustProxy))
    } catch (error) {
      answer = errorAnswer(error, { log, requestId })
    }
    writeAnswer(request, response, answer)
    recorder.record({ requestId, method, path, route, status: answer.status, beganMs })
  }

  return (request, response) => {
    const { method, url = '', headers } = request
    if (!isRead(method) || headers.authorization !== undefined) return void routed(request, response)
    if (url === '/mcp' || url.startsWith(PAGES)) return readPage(request, response, url.slice(PAGES.length))
    const reference = url.startsWith(ENTRIES) ? findReference(url.slice(ENTRIES.length)) : undefined
    if (reference) readEntry(request, response, reference)
    else routed(request, response)
  }
}

/** Returns undefined when the response is an error: the routes then produce it. */
function findAnswer(
  entry: Entry,
  hash: string | undefined,
  { headers }: IncomingMessage,
): Answer | undefined {
  try {
    return answerFor(entry, hash, headers['if-none-match'])
  } catch (error) {
    if (error instanceof PmlError) return undefined
    throw error
  }
}
