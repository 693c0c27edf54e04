import type { McpSession } from '../mcp/mcp-session.ts'
import { superviseServer } from '../servers/supervise/supervise-server.ts'
import type { SupervisedServer, Supervision } from '../servers/supervise/supervised-server.ts'

/** Servers of the registry that run, by what exactly was started, so that a second call need not start again. */
export interface Sessions {
  /** Waits until `waiting` ends. What is still being started when nobody waits for it any more is given up. */
  open(key: string, starting: Starting, waiting: AbortSignal): Promise<McpSession>
  close(): Promise<void>
}

export type Starting = Pick<Supervision, 'name' | 'start' | 'inspect'>

export function createSessions(care: Pick<Supervision, 'timing' | 'now'>): Sessions {
  const servers = new Map<string, SupervisedServer>()
  return {
    open: (key, starting, waiting) => {
      const server = servers.get(key) ?? superviseServer({ ...care, ...starting })
      servers.set(key, server)
      return server.open(waiting)
    },
    close: async () => {
      const all = [...servers.values()]
      servers.clear()
      await Promise.all(all.map((server) => server.close(0)))
    },
  }
}
