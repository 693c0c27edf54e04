import {
  ProtocolError,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
  type Implementation,
  type RequestId,
} from '@modelcontextprotocol/server'
import type { PmlError } from '@pml/core'
import { LIST_TTL_MS } from './options.ts'
import type { ToolRequest } from './find-tool-request.ts'

/** Member for member what the SDK's server writes, so that nobody can tell which of the two answered. */
export function resultAnswer(
  { era, id, method }: ToolRequest,
  result: Readonly<Record<string, unknown>>,
  info: Implementation,
): Response {
  if (era === 'legacy') return jsonAnswer({ result, jsonrpc: '2.0', id })
  const caching = method === 'tools/list' ? { ttlMs: LIST_TTL_MS, cacheScope: 'private' } : {}
  const stamped = {
    ...result,
    resultType: 'complete',
    ...caching,
    _meta: { [SERVER_INFO_META_KEY]: info },
  }
  return jsonAnswer({ result: stamped, jsonrpc: '2.0', id })
}

export function errorAnswer(id: RequestId, { code, message, data }: ProtocolError): Response {
  return jsonAnswer({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } })
}

/** For a message that could not be read far enough to know its id. */
export function refusal(error: PmlError): Response {
  const code = error.code === 'invalid_json' ? ProtocolErrorCode.ParseError : ProtocolErrorCode.InvalidRequest
  const body = { jsonrpc: '2.0', id: null, error: { code, message: error.message, data: error.toJSON() } }
  const response = jsonAnswer(body, error.status)
  // The rest of the body is not read, so the connection is of no more use.
  if (error.code === 'too_large') response.headers.set('connection', 'close')
  return response
}

function jsonAnswer(message: unknown, status = 200): Response {
  return new Response(JSON.stringify(message), { status, headers: { 'content-type': 'application/json' } })
}
