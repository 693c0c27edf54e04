/** Sizes, timeouts and concurrency of proxied calls. */
export interface ProxyLimits {
  readonly connectMs: number
  /** Until the response headers arrive. */
  readonly firstByteMs: number
  /** Between two chunks of a response, for a slow server or a slow client. */
  readonly idleMs: number
  /** For the whole body of a response that is not a stream. */
  readonly answerMs: number
  readonly answerBytes: number
  /** Concurrent calls. */
  readonly total: number
  readonly perKey: number
}

const MINUTE_MS = 60_000

/** A tool may take minutes to respond, and a stream may be silent as long. */
export const usualLimits: ProxyLimits = {
  connectMs: 10_000,
  firstByteMs: 5 * MINUTE_MS,
  idleMs: 5 * MINUTE_MS,
  answerMs: MINUTE_MS,
  answerBytes: 16 * 1024 * 1024,
  total: 256,
  perKey: 64,
}
