import { openSession, type McpSession } from '../src/mcp/mcp-session.ts'
import type { Inspection, ServerStatus } from '../src/servers/supervise/server-status.ts'
import type { SupervisedServer, Timing } from '../src/servers/supervise/supervised-server.ts'
import { kill, roughServer } from './rough-folder.ts'

const never = new AbortController().signal
export const soon = { signal: never, timeoutMs: 20_000 }

/** Nothing happens automatically. */
export const still: Timing = {
  checkEveryMs: 1e9,
  checkTimeoutMs: 5000,
  failuresToOpen: 3,
  firstBackoffMs: 1000,
  longestBackoffMs: 3000,
  idleMs: 1e9,
}

/** Never stopped when idle, and restarted after short delays. */
export const eager: Timing = { ...still, idleMs: undefined, firstBackoffMs: 10, longestBackoffMs: 40 }

export interface RoughStart {
  readonly manner: string
  readonly cwd: string
  readonly connectTimeoutMs?: number
}

export function startRough(
  { manner, cwd, connectTimeoutMs = 20_000 }: RoughStart,
  signal: AbortSignal,
): Promise<McpSession> {
  return openSession(
    { kind: 'stdio', command: process.execPath, args: [roughServer, manner], cwd, env: {}, secrets: [] },
    {
      server: 'rough',
      client: { name: 'test', version: '1' },
      connectTimeoutMs,
      signal,
      kill,
      onStderr: () => {},
    },
  )
}

export async function inspectTools(session: McpSession): Promise<Inspection> {
  return { tools: await session.listTools(soon), concerns: [] }
}

/** Waits until the supervisor reports a status of the server. */
export function until(
  server: SupervisedServer,
  isSo: (status: ServerStatus) => boolean,
): Promise<ServerStatus> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo(server.status)) return
      stop()
      resolve(server.status)
    }
    const stop = server.onChange(look)
    look()
  })
}

export const isState = (state: ServerStatus['state']) => (status: ServerStatus) => status.state === state
