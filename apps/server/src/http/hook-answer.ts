import { bytesOf, type Answer } from './answer.ts'
import { jsonAnswer, unkept } from './tool-answer.ts'

/** The answer to a hook: always 200, and empty where the registry stays out. */
export function hookAnswer(body: string, requestId: string): Answer {
  if (body !== '') return jsonAnswer(body, requestId)
  const headers = { 'Content-Length': '0', ...unkept, 'X-Request-Id': requestId }
  return { status: 200, headers, body: bytesOf('') }
}
