import type { JSONRPCErrorResponse, RequestId } from '@modelcontextprotocol/client'

/** No message of a server may be longer. */
export const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024

/** An answer over the limit is refused when its line ends. A server that writes a longer line is ended. */
export const LINE_LIMIT_BYTES = 4 * MESSAGE_LIMIT_BYTES

/** Outside of what JSON-RPC and MCP reserve. */
export const TOO_LARGE = -31_413

/** What a call gets in place of an answer that was too long to be kept. */
export function tooLargeAnswer(id: RequestId): JSONRPCErrorResponse {
  const message = `expected at most ${MESSAGE_LIMIT_BYTES} bytes`
  return { jsonrpc: '2.0', id, error: { code: TOO_LARGE, message } }
}

/** Which call a long answer was for: servers write the id at one of its ends. */
export function findAnsweredId(head: string, tail: string): RequestId | undefined {
  const id = '"id"\\s*:\\s*(\\d{1,15}|"[\\w-]{1,64}")'
  const first = new RegExp(`^\\s*\\{\\s*(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?${id}\\s*,`).exec(head)
  const last = new RegExp(`,\\s*${id}\\s*(?:,\\s*"jsonrpc"\\s*:\\s*"2\\.0"\\s*)?\\}\\s*$`).exec(tail)
  const text = first?.[1] ?? last?.[1]
  return text === undefined ? undefined : (JSON.parse(text) as RequestId)
}
