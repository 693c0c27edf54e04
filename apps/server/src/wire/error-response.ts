import { PmlError } from '@pml/core'
import type { Logger } from 'pino'
import { isCancelled, isConnectionError } from '../db/connect.ts'
import { RETRY_AFTER_S } from '../db/deadline.ts'
import { byteString, corsHeaders, type Answer } from './answer.ts'

/** Turns an error into an HTTP response. Anything but a PmlError is a bug: it is logged, and its details are hidden. */
export function errorAnswer(error: unknown, { log, requestId }: { log: Logger; requestId: string }): Answer {
  const known = error instanceof PmlError ? error : explainFault(error, { log, requestId })
  const { retryAfter, allow, ...detail } = known.toJSON() as ReturnType<PmlError['toJSON']> & {
    retryAfter?: number
    allow?: string
  }
  const body = byteString(
    Buffer.from(JSON.stringify(known.status >= 500 ? { ...detail, requestId } : detail)),
  )
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...corsHeaders,
  }
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter)
  if (allow !== undefined) headers['Allow'] = allow
  // The rest of the body is not read, so the connection cannot be used again.
  if (known.code === 'too_large' || known.code === 'request_timeout') headers['Connection'] = 'close'
  if (known.status === 401) headers['WWW-Authenticate'] = 'Bearer realm="pml"'
  return { status: known.status, headers, body }
}

/** Logs an unexpected error and returns the error to show instead. */
export function explainFault(
  error: unknown,
  { log, requestId }: { log: Logger; requestId: string },
): PmlError {
  if (isConnectionError(error)) {
    log.warn({ requestId, err: error }, 'the database does not answer')
    return new PmlError('unavailable', `Cannot reach the database: try again in ${RETRY_AFTER_S} s`, {
      retryAfter: RETRY_AFTER_S,
    })
  }
  if (isCancelled(error)) {
    log.warn({ requestId, err: error }, 'a statement was cancelled')
    return new PmlError('unavailable', `Cannot answer in time: try again in ${RETRY_AFTER_S} s`, {
      retryAfter: RETRY_AFTER_S,
    })
  }
  log.error({ requestId, err: error }, 'a request failed unexpectedly')
  return new PmlError(
    'internal_error',
    `Internal error; the server log has the details under request ${requestId}`,
  )
}
