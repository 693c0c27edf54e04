import { createMcpHandler, isInitializeRequest, isJsonContentType } from '@modelcontextprotocol/server'
import { PmlError } from '@pml/core'
import { leavingWith, type Leaving, type Toolbox } from '../toolbox.ts'
import { answerDirectly, SESSION } from './answer-directly.ts'
import { jsonResponse, refusal } from './answers.ts'
import { DEFAULT_MAX_BODY_BYTES, type McpOptions } from './options.ts'
import { bodyOf, parseMessage, type ReadBody } from './read-message.ts'
import { RunningCalls } from './running-calls.ts'
import { createToolServer } from './tool-server.ts'

export interface McpEndpoint<Caller> {
  /** Serves one HTTP request of either era. The server has already checked the caller and the origin. */
  fetch(request: Request, caller: Caller): Promise<Response>
  /** The same without a `Response` if none is needed: most responses are JSON with status 200. */
  answer(request: Request, caller: Caller, reading: Reading): Promise<Response | string>
  /** Ends the streams that clients listen on; calls end with their connections. */
  close(): Promise<void>
}

/** How a server reads bodies and detects that a caller leaves, if it knows better than `Request`. */
interface Reading {
  readonly read: ReadBody
  readonly leaving: Leaving
}

/** Since this revision a body is a single message. */
const FIRST_WITHOUT_BATCHES = '2025-06-18'

/** Serves the tools as one MCP endpoint over Streamable HTTP, without state between requests. */
export function createMcpEndpoint<Caller>(
  toolbox: Toolbox<Caller>,
  options: McpOptions,
): McpEndpoint<Caller> {
  const { onFault, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options
  const direct = { toolbox, options, running: new RunningCalls() }
  const callers = new WeakMap<Request, Caller>()
  const sdk = createMcpHandler(
    ({ era, requestInfo }) =>
      createToolServer({ toolbox, era, onFault, caller: callerOf(callers, requestInfo) }, options),
    { maxRequestBodySize: maxBodyBytes },
  )

  async function answerPost(
    request: Request,
    caller: Caller,
    { read, leaving }: Reading,
  ): Promise<Response | string> {
    const body = await read(parseMessage)
    const { headers } = request
    const text = await answerDirectly(direct, { headers, leaving, body }, caller)
    if (text !== undefined) return text
    requireOneMessage(headers, body)
    cancelCall(direct.running, headers, body)
    callers.set(request, caller)
    const response = await sdk.fetch(request, { parsedBody: body })
    if (response.ok && isInitializeRequest(body)) response.headers.set(SESSION, crypto.randomUUID())
    return response
  }

  async function answer(request: Request, caller: Caller, reading: Reading): Promise<Response | string> {
    const isMessage = request.method === 'POST' && isJsonContentType(request.headers.get('content-type'))
    if (!isMessage) return sdk.fetch(request)
    try {
      return await answerPost(request, caller, reading)
    } catch (error) {
      if (error instanceof PmlError) return refusal(error)
      throw error
    }
  }

  return {
    answer,
    fetch: async (request, caller) => {
      const reading = { read: bodyOf(request, maxBodyBytes), leaving: leavingWith(request.signal) }
      const answered = await answer(request, caller, reading)
      return typeof answered === 'string' ? jsonResponse(answered) : answered
    },
    close: () => sdk.close(),
  }
}

function callerOf<Caller>(callers: WeakMap<Request, Caller>, request: Request | undefined): Caller {
  if (request === undefined || !callers.has(request)) throw new Error('A request has no caller')
  return callers.get(request) as Caller
}

function requireOneMessage(headers: Headers, body: unknown): void {
  const version = headers.get('mcp-protocol-version') ?? ''
  if (!Array.isArray(body) || version < FIRST_WITHOUT_BATCHES) return
  throw new PmlError('bad_request', `Cannot take a batch: expected one message in revision ${version}`)
}

function cancelCall(running: RunningCalls, headers: Headers, body: unknown): void {
  const session = headers.get(SESSION)
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { requestId?: unknown } }
  if (session !== null && method === 'notifications/cancelled') running.cancel(session, params?.requestId)
}
