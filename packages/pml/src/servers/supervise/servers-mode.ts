import type { Timing } from './supervised-server.ts'

export type ServersMode =
  /** For one command: servers are started on use and run until the end. */
  | 'once'
  /** For a person who watches them: all are started and kept running. */
  | 'all'
  /** For a gateway: servers are started on use and ended when idle. */
  | 'gateway'

const patience = {
  checkEveryMs: 30_000,
  checkTimeoutMs: 10_000,
  failuresToOpen: 3,
  firstBackoffMs: 1000,
  longestBackoffMs: 60_000,
}
const DAY_MS = 86_400_000
export const timings: Readonly<Record<ServersMode, Timing>> = {
  once: { ...patience, idleMs: DAY_MS },
  all: { ...patience, checkEveryMs: 5000, idleMs: undefined },
  gateway: { ...patience, idleMs: 600_000 },
}
