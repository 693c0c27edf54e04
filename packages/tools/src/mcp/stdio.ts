import type { Readable, Writable } from 'node:stream'
import type { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Toolbox } from '../toolbox.ts'
import { LineTransport } from './line-transport.ts'
import { DEFAULT_MAX_BODY_BYTES, type Era, type McpOptions } from './options.ts'
import { createToolServer } from './tool-server.ts'

interface StdioOptions extends McpOptions {
  readonly input: Readable
  /** Must not be written to by anything else. */
  readonly output: Writable
}

export interface StdioConnection {
  /** Resolves when the client has disconnected or `close` was called; running calls are aborted. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Serves tools to one client over two streams; its first message decides the era. */
export function serveOverStdio<Caller>(
  toolbox: Toolbox<Caller>,
  caller: Caller,
  options: StdioOptions,
): StdioConnection {
  const { onFault } = options
  return serveServersOverStdio((era) => createToolServer({ toolbox, caller, era, onFault }, options), options)
}

/** Serves any server factory over two streams; a client that probes an era may get a second server. */
export function serveServersOverStdio(
  create: (era: Era) => Server,
  {
    input,
    output,
    maxBodyBytes = DEFAULT_MAX_BODY_BYTES,
  }: Pick<StdioOptions, 'input' | 'output' | 'maxBodyBytes'>,
): StdioConnection {
  const transport = new LineTransport({ input, output, maxBodyBytes })
  const served = serveStdio(({ era }) => create(era), { transport })
  // An unread pipe would keep the program alive, for example after a message over the limit.
  const closed = transport.closed.then(() => void input.destroy())
  return { closed, close: () => served.close() }
}
