import { bytesOf, type Answer } from './answer.ts'
import { readJson } from './read-json.ts'

/** Room for a module of 1 MiB with every character escaped in the usual ways. */
export const TOOL_LIMIT_BYTES = 4 * 1024 * 1024

/** The answer to a call may hold a secret. */
export const unkept = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

/** A tool's output as it is sent. */
export function toolAnswer(output: unknown, requestId: string): Answer {
  return jsonAnswer(JSON.stringify(output), requestId)
}

export function jsonAnswer(text: string, requestId: string): Answer {
  const body = bytesOf(text)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'Cache-Control': unkept['Cache-Control'],
    'X-Content-Type-Options': unkept['X-Content-Type-Options'],
    'X-Request-Id': requestId,
  }
  return { status: 200, headers, body }
}

/** Whoever sends nothing gives no arguments. */
export async function readToolArguments(request: Request): Promise<unknown> {
  const { headers } = request
  const isEmpty =
    headers.get('content-length') === '0' ||
    !(headers.has('content-length') || headers.has('transfer-encoding'))
  return isEmpty ? {} : readJson(request, TOOL_LIMIT_BYTES)
}
