import type { Readable, Writable } from 'node:stream'
import type { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Toolbox } from '../toolbox.ts'
import { LineTransport } from './line-transport.ts'
import { DEFAULT_MAX_BODY_BYTES, type Era, type McpOptions } from './options.ts'
import { createToolServer } from './tool-server.ts'

interface StdioOptions extends McpOptions {
  readonly input: Readable
  /** Nothing else may be written to it. */
  readonly output: Writable
}

export interface StdioConnection {
  /** When the client has gone or `close` was called. What still ran has been told to stop. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** The tools for the one client at the other end of two streams; its first message decides the era. */
export function serveOverStdio<Caller>(
  toolbox: Toolbox<Caller>,
  caller: Caller,
  options: StdioOptions,
): StdioConnection {
  const { onFault } = options
  return serveServersOverStdio((era) => createToolServer({ toolbox, caller, era, onFault }, options), options)
}

/** The same for any servers: one is made for the connection, and perhaps another before, for a client that tries an era. */
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
  // A pipe that nobody reads would keep the program alive, as after a message over the limit.
  const closed = transport.closed.then(() => void input.destroy())
  return { closed, close: () => served.close() }
}
