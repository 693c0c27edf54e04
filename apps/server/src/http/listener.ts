import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { parseReference, PmlError } from '@pml/core'
import type { CatalogPages } from '../catalog/catalog-pages.ts'
import type { CurrentEntries } from '../catalog/current-entries.ts'
import { answerFor } from '../catalog/entry.ts'
import type { Metrics } from '../metrics.ts'
import { chooseAnswer, type Answer } from './answer.ts'

export interface ListenerDeps {
  readonly entries: CurrentEntries
  readonly pages: CatalogPages
  readonly metrics: Metrics
  /** Everything that is not in memory, private, wrong or more than a read. */
  readonly routed: RequestListener
}

const ENTRY = '/mcp/'

/** Reads of public entries that are in memory go straight to the socket; the routes give the same answers slower. */
export function createListener({ entries, pages, metrics, routed }: ListenerDeps): RequestListener {
  function fromMemory({
    method,
    url = '',
    headers,
  }: IncomingMessage): { route: string; answer: Answer } | undefined {
    if ((method !== 'GET' && method !== 'HEAD') || headers.authorization !== undefined) return undefined
    const condition = headers['if-none-match']
    if (url.startsWith(ENTRY)) return entryAnswer(url.slice(ENTRY.length), condition)
    if (url !== '/mcp' && !url.startsWith('/mcp?')) return undefined
    const page = pages.peek(url.slice('/mcp?'.length))
    return page && { route: '/mcp', answer: chooseAnswer(page, condition) }
  }

  function entryAnswer(
    text: string,
    condition: string | undefined,
  ): { route: string; answer: Answer } | undefined {
    try {
      const { name, hash } = parseReference(text)
      const entry = entries.peek(name)
      if (!entry || entry.visibility !== 'public') return undefined
      return { route: '/mcp/:reference', answer: answerFor(entry, hash, condition) }
    } catch (error) {
      if (error instanceof PmlError) return undefined
      throw error
    }
  }

  return (request, response) => {
    const ready = fromMemory(request)
    if (!ready) return routed(request, response)
    metrics.countFromMemory(ready.route, ready.answer.status)
    send(response, ready.answer, request.method === 'HEAD')
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer, headOnly: boolean): void {
  response.writeHead(status, headers)
  if (body && !headOnly) response.end(body)
  else response.end()
}
