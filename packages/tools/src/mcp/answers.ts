import {
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
  type Implementation,
  type ProtocolError,
  type RequestId,
} from '@modelcontextprotocol/server'
import type { PmlError } from '@pml/core'
import type { ToolRequest } from './find-tool-request.ts'
import { LIST_TTL_MS } from './options.ts'

/** Byte for byte the response of the SDK's server. */
export function printResult(
  { era, id, method }: ToolRequest,
  result: Readonly<Record<string, unknown>>,
  info: Implementation,
): string {
  if (era === 'legacy') return JSON.stringify({ result, jsonrpc: '2.0', id })
  const caching = method === 'tools/list' ? { ttlMs: LIST_TTL_MS, cacheScope: 'private' } : {}
  const identity = { _meta: { [SERVER_INFO_META_KEY]: info } }
  return JSON.stringify({
    result: { ...result, resultType: 'complete', ...caching, ...identity },
    jsonrpc: '2.0',
    id,
  })
}

export function printError(id: RequestId, { code, message, data }: ProtocolError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}

export function jsonResponse(text: string, status = 200): Response {
  return new Response(text, { status, headers: { 'content-type': 'application/json' } })
}

/** For a message without a readable id. */
export function refusal(error: PmlError): Response {
  const code = error.code === 'invalid_json' ? ProtocolErrorCode.ParseError : ProtocolErrorCode.InvalidRequest
  const body = { jsonrpc: '2.0', id: null, error: { code, message: error.message, data: error.toJSON() } }
  const response = jsonResponse(JSON.stringify(body), error.status)
  // The rest of the body is not read, so the connection cannot be reused.
  if (error.code === 'too_large' || error.code === 'request_timeout')
    response.headers.set('connection', 'close')
  const { retryAfter } = error.detail
  if (retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter))
  return response
}
