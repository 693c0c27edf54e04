import type { McpSession } from '../running/mcp-session.ts'

/** Servers that run, by what exactly was started. They stay until `close`, so that a second call need not start again. */
export interface Sessions {
  open(key: string, start: () => Promise<McpSession>): Promise<McpSession>
  close(): Promise<void>
}

export function createSessions(): Sessions {
  const sessions = new Map<string, Promise<McpSession>>()
  return {
    open: async (key, start) => {
      const running = sessions.get(key)
      if (running) return running
      const starting = start()
      sessions.set(key, starting)
      const forget = () => sessions.get(key) === starting && sessions.delete(key)
      starting.then(({ closed }) => closed.then(forget, forget), forget)
      return starting
    },
    close: async () => {
      const all = [...sessions.values()]
      sessions.clear()
      await Promise.allSettled(all.map(async (session) => (await session).close()))
    },
  }
}
