import type { Logger } from 'pino'
import type { Metrics } from '../metrics.ts'
import type { RateLimit } from './rate-limit.ts'

interface RecorderDeps {
  readonly log: Logger
  readonly metrics: Metrics
  readonly reads: RateLimit | undefined
  readonly newRequestId: () => string
}

interface RecordedRequest {
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** The pattern of the matched route, such as `/mcp/:reference`. */
  readonly route: string
  readonly status: number
  /** By `performance.now()`. */
  readonly beganMs: number
}

/** Limits, logs and measures every request, for the routes and the read lane. */
export interface Recorder {
  /** Returns the client's request id if it is valid, else a new one. */
  requestIdOf(given: string | string[] | undefined): string
  /** Counts a read of the catalog if the operator set a limit; throws `rate_limited`. */
  countRead(path: string, address: string): void
  /** Logs and measures a finished request. */
  record(request: RecordedRequest): void
}

/** Paths that the read limit covers. Health and metrics are unlimited, for the operator's monitoring. */
const limited = /^\/(?:mcp|blobs|api\/registry)(?:\/|$)/
const givenId = /^[\w.-]{1,64}$/
const LONGEST_PATH = 400

export function createRecorder({ log, metrics, reads, newRequestId }: RecorderDeps): Recorder {
  return {
    requestIdOf: (given) => (typeof given === 'string' && givenId.test(given) ? given : newRequestId()),
    countRead: (path, address) => {
      if (reads && limited.test(path)) reads.take(address)
    },
    record: ({ requestId, method, path, route, status, beganMs }) => {
      const ms = performance.now() - beganMs
      metrics.observe({ route, method, status, seconds: ms / 1000 })
      const level = isRead(method) ? 'debug' : 'info'
      if (!log.isLevelEnabled(level)) return
      const line = { requestId, method, path: path.slice(0, LONGEST_PATH), status, ms: Math.round(ms) }
      log[level](line, 'request')
    },
  }
}

export function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD'
}
