import type { JSONRPCErrorResponse, RequestId } from '@modelcontextprotocol/client'

/** The longest message that is accepted from a server. */
export const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024

/** A longer response is refused at the end of its line. A server that writes a longer line than this is ended. */
export const LINE_LIMIT_BYTES = 4 * MESSAGE_LIMIT_BYTES

/** An error code outside the ranges reserved by JSON-RPC and MCP. */
export const TOO_LARGE = -31_413

/** The error response that replaces a response over the limit. */
export function tooLargeAnswer(id: RequestId): JSONRPCErrorResponse {
  const message = `expected at most ${MESSAGE_LIMIT_BYTES} bytes`
  return { jsonrpc: '2.0', id, error: { code: TOO_LARGE, message } }
}

/** The request id of a long response: servers write it at the start or the end. */
export function findAnsweredId(head: string, tail: string): RequestId | undefined {
  const id = '"id"\\s*:\\s*(\\d{1,15}|"[\\w-]{1,64}")'
  const first = new RegExp(`^\\s*\\{\\s*(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?${id}\\s*,`).exec(head)
  const last = new RegExp(`,\\s*${id}\\s*(?:,\\s*"jsonrpc"\\s*:\\s*"2\\.0"\\s*)?\\}\\s*$`).exec(tail)
  const text = first?.[1] ?? last?.[1]
  return text === undefined ? undefined : (JSON.parse(text) as RequestId)
}
