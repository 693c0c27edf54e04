import { bytesOf, type Answer } from './answer.ts'
import { readJson } from './read-json.ts'

/** Room for a module of 1 MiB with every character escaped in the usual ways. */
export const TOOL_LIMIT_BYTES = 4 * 1024 * 1024

/** A tool's output as it is sent; it may hold a secret, so nobody keeps it. */
export function toolAnswer(output: unknown, requestId: string): Answer {
  return jsonAnswer(JSON.stringify(output), requestId)
}

export function jsonAnswer(text: string, requestId: string): Answer {
  const body = bytesOf(text)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  }
  return { status: 200, headers, body }
}

/** Whoever sends nothing gives no arguments. */
export async function readToolArguments(request: Request): Promise<unknown> {
  const isEmpty = request.body === null || request.headers.get('content-length') === '0'
  return isEmpty ? {} : readJson(request, TOOL_LIMIT_BYTES)
}
