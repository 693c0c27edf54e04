import type { Ops } from '../ops.ts'
import type { McpSession } from '../running/mcp-session.ts'
import { killAllSync } from '../running/owned-process.ts'

/** Servers that run, by what exactly was started. They stay until `close`, so that a second call need not start again. */
export interface Sessions {
  open(key: string, start: () => Promise<McpSession>): Promise<McpSession>
  close(): Promise<void>
}

export function createSessions({ atExit }: Pick<Ops, 'atExit'>): Sessions {
  const sessions = new Map<string, Promise<McpSession>>()
  let isGuarded = false
  return {
    open: async (key, start) => {
      const running = sessions.get(key)
      if (running) return running
      if (!isGuarded) atExit(killAllSync)
      isGuarded = true
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
