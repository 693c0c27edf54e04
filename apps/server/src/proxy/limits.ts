/** How much the registry gives to a proxied call, and how long it waits. */
export interface ProxyLimits {
  readonly connectMs: number
  /** Until the head of the answer is there. */
  readonly firstByteMs: number
  /** Between two pieces of an answer, whoever of the two keeps the other waiting. */
  readonly idleMs: number
  /** For the whole body of an answer that is no stream. */
  readonly answerMs: number
  readonly answerBytes: number
  /** Calls at the same time. */
  readonly total: number
  readonly perKey: number
}

const MINUTE_MS = 60_000

/** A tool may take minutes before it says anything, and a stream may be quiet for as long. */
export const usualLimits: ProxyLimits = {
  connectMs: 10_000,
  firstByteMs: 5 * MINUTE_MS,
  idleMs: 5 * MINUTE_MS,
  answerMs: MINUTE_MS,
  answerBytes: 16 * 1024 * 1024,
  total: 256,
  perKey: 64,
}
