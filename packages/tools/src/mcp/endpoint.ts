import {
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  ProtocolError,
} from '@modelcontextprotocol/server'
import { PmlError } from '@pml/core'
import type { Toolbox } from '../toolbox.ts'
import { errorAnswer, refusal, resultAnswer } from './answers.ts'
import { findToolRequest, type ToolRequest } from './find-tool-request.ts'
import { DEFAULT_MAX_BODY_BYTES, type McpOptions } from './options.ts'
import { readMessage } from './read-message.ts'
import { RunningCalls } from './running-calls.ts'
import { callResult, listResult } from './tool-results.ts'
import { createToolServer } from './tool-server.ts'

export interface McpEndpoint<Caller> {
  /** Serves one HTTP request of either era. Who calls, and from where, was checked before. */
  fetch(request: Request, caller: Caller): Promise<Response>
  /** Ends what still runs, so that a server can stop. */
  close(): Promise<void>
}

const SESSION = 'mcp-session-id'
/** From this revision on, a body is one message. */
const FIRST_WITHOUT_BATCHES = '2025-06-18'

/** The tools as one MCP endpoint over Streamable HTTP, without state between requests. */
export function createMcpEndpoint<Caller>(
  toolbox: Toolbox<Caller>,
  options: McpOptions,
): McpEndpoint<Caller> {
  const { info, onFault, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options
  const running = new RunningCalls()
  const callers = new WeakMap<Request, Caller>()
  const sdk = createMcpHandler(
    ({ era, requestInfo }) =>
      createToolServer({ toolbox, era, onFault, caller: callerOf(callers, requestInfo) }, options),
    { maxRequestBodySize: maxBodyBytes },
  )

  async function answerPost(request: Request, caller: Caller): Promise<Response> {
    const body = await readMessage(request, maxBodyBytes)
    const found = findToolRequest(request.headers, body)
    if (found) return answerToolRequest(request, caller, found)
    requireOneMessage(request.headers, body)
    cancelCall(request.headers, body)
    callers.set(request, caller)
    const response = await sdk.fetch(request, { parsedBody: body })
    if (response.ok && isInitializeRequest(body)) response.headers.set(SESSION, crypto.randomUUID())
    return response
  }

  async function answerToolRequest(request: Request, caller: Caller, found: ToolRequest): Promise<Response> {
    const session = { toolbox, caller, onFault, era: found.era }
    try {
      if (found.method === 'tools/list') return resultAnswer(found, await listResult(session), info)
      const call = (signal: AbortSignal) => callResult(session, found.params, signal)
      return resultAnswer(found, await callWithinSession(request, found, call), info)
    } catch (error) {
      if (error instanceof ProtocolError) return errorAnswer(found.id, error)
      throw error
    }
  }

  function callWithinSession<Result>(
    { headers, signal }: Request,
    { era, id }: ToolRequest,
    call: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const session = era === 'legacy' ? headers.get(SESSION) : null
    return session === null ? call(signal) : running.run({ session, id, signal }, call)
  }

  function cancelCall(headers: Headers, body: unknown): void {
    const session = headers.get(SESSION)
    const { method, params } = (body ?? {}) as { method?: unknown; params?: { requestId?: unknown } }
    if (session !== null && method === 'notifications/cancelled') running.cancel(session, params?.requestId)
  }

  return {
    fetch: async (request, caller) => {
      const isMessage = request.method === 'POST' && isJsonContentType(request.headers.get('content-type'))
      if (!isMessage) return sdk.fetch(request)
      try {
        return await answerPost(request, caller)
      } catch (error) {
        if (error instanceof PmlError) return refusal(error)
        throw error
      }
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
