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
  /** The pattern that answered, such as `/mcp/:reference`. */
  readonly route: string
  readonly status: number
  /** By `performance.now()`. */
  readonly beganMs: number
}

/** What happens to every request, whether a route or the read lane answers it. */
export interface Recorder {
  /** The caller's own id if it fits in a log line, else a new one. */
  requestIdOf(given: string | string[] | undefined): string
  /** Counts reads of the catalog where the operator set a limit; throws `rate_limited`. */
  countRead(path: string, address: string): void
  /** Logs and measures a request that was answered. */
  record(request: RecordedRequest): void
}

/** Health and metrics are not limited: the operator's monitoring reads them. */
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
