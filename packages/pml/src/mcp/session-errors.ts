import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { PmlError, type ErrorCode } from '@pml/core/errors'
import type { Peer } from './client-session.ts'
import type { Limit } from '../machine/limit.ts'
import { TOO_LARGE } from './too-large.ts'

/** What is known about a failed request. */
export interface Circumstances {
  readonly peer: Pick<Peer, 'name' | 'exitReason' | 'stderrTail'>
  readonly limit: Limit
  readonly timeoutMs: number
}

const INVALID_PARAMS = -32_602
const METHOD_NOT_FOUND = -32_601
const UNSUPPORTED_VERSION = -32_022

export function startError(
  error: unknown,
  { name, command, cwd, isCancelled }: { name: string; command: string; cwd: string; isCancelled: boolean },
): PmlError {
  if (isCancelled) return new PmlError('cancelled', `Cannot start ${name}: it was cancelled`)
  const { code } = error as NodeJS.ErrnoException
  const reason =
    code === 'ENOENT' ? `there is no program ${command}, or no folder ${cwd}` : (code ?? reasonOf(error))
  return new PmlError('server_failed', `Cannot start ${name}: ${reason}`)
}

export function connectError(error: unknown, circumstances: Circumstances): PmlError {
  return explain(error, { ...circumstances, doing: 'connect to', timeoutCode: 'server_failed' })
}

export function listError(error: unknown, circumstances: Circumstances): PmlError {
  return explain(error, { ...circumstances, doing: 'list the tools of', timeoutCode: 'tool_timeout' })
}

export function checkError(error: unknown, circumstances: Circumstances): PmlError {
  return explain(error, { ...circumstances, doing: 'check', timeoutCode: 'tool_timeout' })
}

/** Whether the server does not know the method. It has responded, so it is alive. */
export function isUnknownMethod(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === METHOD_NOT_FOUND
}

export function callError(error: unknown, { tool, ...more }: Circumstances & { tool: string }): PmlError {
  const doing = `call ${tool} of`
  const code = error instanceof ProtocolError ? error.code : undefined
  if (code === METHOD_NOT_FOUND || (code === INVALID_PARAMS && isAboutTheName(error)))
    return new PmlError('unknown_tool', `Cannot ${doing} ${more.peer.name}: there is no such tool`)
  if (code === INVALID_PARAMS)
    return new PmlError('invalid_arguments', `Cannot ${doing} ${more.peer.name}: ${reasonOf(error)}`)
  return explain(error, { ...more, doing, timeoutCode: 'tool_timeout' })
}

/** Servers use one code for unknown tools and invalid arguments; the messages of the SDKs tell them apart. */
function isAboutTheName(error: unknown): boolean {
  return /\b(?:unknown|no such) tool\b|\btool\b.*\bnot (?:found|exist)|\btool\b.*does not exist/i.test(
    reasonOf(error),
  )
}

function explain(
  error: unknown,
  { peer, limit, timeoutMs, doing, timeoutCode }: Circumstances & { doing: string; timeoutCode: ErrorCode },
): PmlError {
  const own = findOwn(error)
  if (own) return own
  const cannot = (code: ErrorCode, reason: string) =>
    new PmlError(code, `Cannot ${doing} ${peer.name}: ${reason}`)
  if (limit.ending === 'cancelled') return cannot('cancelled', 'it was cancelled')
  const code = error instanceof SdkError ? error.code : undefined
  if (limit.ending === 'timeout' || code === SdkErrorCode.RequestTimeout)
    return cannot(timeoutCode, `no answer within ${timeoutMs} ms${saying(peer)}`)
  const fate = peer.exitReason()
  if (fate !== undefined) return cannot('server_failed', `${fate}${saying(peer)}`)
  if (code === SdkErrorCode.ConnectionClosed || code === SdkErrorCode.NotConnected)
    return cannot('cancelled', 'the session was closed')
  if (error instanceof ProtocolError && error.code === TOO_LARGE) return cannot('too_large', reasonOf(error))
  return cannot('server_failed', `${reasonOf(error)}${saying(peer)}`)
}

/** A PmlError thrown by the session's fetch; the SDK wraps it. */
function findOwn(error: unknown): PmlError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof PmlError) return cause
  return undefined
}

function reasonOf(error: unknown): string {
  if (error instanceof SdkHttpError) return httpReason(error)
  if (error instanceof ProtocolError && error.code === UNSUPPORTED_VERSION) return versionReason(error)
  if (error instanceof ProtocolError) return `it answered ${error.code}: ${short(error.message)}`
  const { cause, message = String(error) } = error as Error & { cause?: NodeJS.ErrnoException }
  const inner = cause?.cause instanceof Error ? (cause.cause as NodeJS.ErrnoException) : cause
  return inner?.code === undefined ? short(message) : String(inner.code)
}

function versionReason({ data }: ProtocolError): string {
  const { supported } = (data ?? {}) as { supported?: unknown }
  const theirs = Array.isArray(supported) ? short(supported.join(', ')) : 'others'
  return `it supports no protocol revision that pml knows, only ${theirs}; update pml or the server`
}

function httpReason({ data, message }: SdkHttpError): string {
  const { status } = data
  if (status === 401 || status === 403)
    return `it answered with status ${status}; check its key in the headers`
  if (status >= 300 && status < 400) return `it redirects to another origin, which is not followed`
  return `it answered with status ${status}: ${short(message)}`
}

/** The useful last lines of stderr, to be appended to a message. */
export function saying({ stderrTail }: Pick<Peer, 'stderrTail'>): string {
  const lines = stderrTail().map((line) => line.trim())
  const useful = lines.filter((line) => line !== '' && !/^(?:at |node:|Node\.js v|[{}^]+$)/.test(line))
  return useful.length === 0 ? '' : `; it said: ${useful.slice(-3).join(' ').slice(-300)}`
}

function short(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
