import { Client } from '@modelcontextprotocol/client'
import { createSession, type Peer } from './client-session.ts'
import { orAborted, startLimit, type Limit } from '../machine/limit.ts'
import type { McpSession, SessionOptions, StdioTarget } from './mcp-session.ts'
import { ServerProcess } from './server-process.ts'
import { connectError, startError } from './session-errors.ts'

const GRACE_MS = 1000

export async function openStdioSession(target: StdioTarget, options: SessionOptions): Promise<McpSession> {
  const name = options.server ?? target.command
  const limit = startLimit(options.signal, options.connectTimeoutMs)
  try {
    const server = await start(target, { name, limit, options })
    const peer: Peer = {
      name,
      exitReason: () => server.fate,
      stderrTail: () => server.stderrTail,
      close: (isHasty) => server.close(isHasty ? 0 : GRACE_MS),
      closed: server.closed,
    }
    try {
      return createSession(await greet(server, { limit, options }), { peer, signal: options.signal })
    } catch (error) {
      const reason = connectError(error, { peer, limit, timeoutMs: options.connectTimeoutMs })
      await server.close(0)
      throw reason
    }
  } finally {
    limit.clear()
  }
}

async function start(
  { command, args, cwd, env }: StdioTarget,
  { name, limit, options }: { name: string; limit: Limit; options: SessionOptions },
): Promise<ServerProcess> {
  try {
    limit.signal.throwIfAborted()
    return await ServerProcess.start({ command, args, cwd, env }, options)
  } catch (error) {
    throw startError(error, { name, command, cwd, isCancelled: limit.ending !== undefined })
  }
}

/**
 * Nearly every server supports `initialize`. One that refuses it supports only newer revisions and is asked for them in the
 * same process. `server/discover` first would cost a second process for servers that exit on an unknown request.
 */
async function greet(
  server: ServerProcess,
  { limit, options }: { limit: Limit; options: SessionOptions },
): Promise<Client> {
  const { signal } = limit
  const timeout = options.connectTimeoutMs
  const connect = async (mode: 'legacy' | 'auto') => {
    const client = new Client(options.client, { versionNegotiation: { mode } })
    await orAborted(signal, client.connect(server.connect(), { signal, timeout }))
    return client
  }
  return connect('legacy').catch((error: unknown) => {
    if (signal.aborted || server.fate !== undefined) throw error
    return connect('auto').catch(() => {
      throw error
    })
  })
}
