import type { Readable, Writable } from 'node:stream'
import { serveServersOverStdio } from '@pml/tools/mcp'
import type { Server } from '@modelcontextprotocol/server'
import type { Gateway } from './gateway.ts'
import { createGatewayServer, type GatewayServerOptions } from './gateway-server.ts'

export interface StdioServing extends Omit<GatewayServerOptions, 'era'> {
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
}

/** For the one client at the other end of two streams, until it leaves. */
export async function serveOnStdio(gateway: Gateway, serving: StdioServing): Promise<void> {
  let newest: Server | undefined
  const connection = serveServersOverStdio(
    (era) => (newest = createGatewayServer(gateway, { ...serving, era })),
    serving,
  )
  // Before the first message nobody is told; whoever comes reads the list anyway.
  const stop = gateway.onChange(() => void newest?.sendToolListChanged().catch(() => undefined))
  serving.signal.addEventListener('abort', () => void connection.close(), { once: true })
  await connection.closed
  stop()
}
