import { orAborted } from '../running/limit.ts'
import type { McpSession } from '../running/mcp-session.ts'

/** Servers that run, by what exactly was started. They stay until `close`, so that a second call need not start again. */
export interface Sessions {
  /** Waits until `waiting` ends. What is still being started when nobody waits for it any more is given up. */
  open(key: string, start: Start, waiting: AbortSignal): Promise<McpSession>
  close(): Promise<void>
}

/** The signal ends the starting, and the session. */
export type Start = (signal: AbortSignal) => Promise<McpSession>

interface Running {
  readonly session: Promise<McpSession>
  readonly stop: AbortController
  isOpen: boolean
  waiting: number
}

export function createSessions(): Sessions {
  const sessions = new Map<string, Running>()

  function begin(key: string, start: Start): Running {
    const stop = new AbortController()
    const running: Running = { session: start(stop.signal), stop, isOpen: false, waiting: 0 }
    sessions.set(key, running)
    const forget = () => sessions.get(key) === running && sessions.delete(key)
    const follow = async () => {
      const { closed } = await running.session
      running.isOpen = true
      await closed
    }
    follow().then(forget, forget)
    return running
  }

  function giveUp(running: Running): void {
    if (!running.isOpen) running.stop.abort()
  }

  return {
    open: async (key, start, waiting) => {
      const running = sessions.get(key) ?? begin(key, start)
      running.waiting++
      try {
        return await orAborted(waiting, running.session)
      } finally {
        running.waiting--
        if (running.waiting === 0) giveUp(running)
      }
    },
    close: async () => {
      const all = [...sessions.values()]
      sessions.clear()
      all.forEach(giveUp)
      await Promise.allSettled(all.map(async ({ session }) => (await session).close()))
    },
  }
}
