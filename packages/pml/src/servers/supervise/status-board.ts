import { isDeepStrictEqual } from 'node:util'
import type { ServerStatus } from './server-status.ts'

/** The status of a server, with listeners. */
export interface StatusBoard {
  readonly status: ServerStatus
  /** Updates the status, and calls the listeners if it has changed. */
  write(change: Partial<Omit<ServerStatus, 'since'>>): void
  /** Calls the listeners for a change outside the status. */
  tell(): void
  onChange(listener: () => void): () => void
}

export function createStatusBoard(now: () => Date): StatusBoard {
  const listeners = new Set<() => void>()
  let status: ServerStatus = {
    state: 'offline',
    reason: 'it has not been started yet',
    since: now().toISOString(),
    latencyMs: undefined,
    errorCount: 0,
    checkedAt: undefined,
    isRunning: false,
    serverInfo: undefined,
    protocolVersion: undefined,
  }
  const tell = () => listeners.forEach((listener) => listener())
  return {
    get status() {
      return status
    },
    write(change) {
      const next = { ...status, ...change }
      if (isDeepStrictEqual(status, next)) return
      const isSame = next.state === status.state && next.reason === status.reason
      status = { ...next, since: isSame ? status.since : now().toISOString() }
      tell()
    },
    tell,
    onChange(listener) {
      const heard = () => listener()
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
  }
}
