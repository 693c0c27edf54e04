import type { Readable, Writable } from 'node:stream'
import { PmlError } from '@pml/core'
import { serveServersOverStdio } from '@pml/tools/mcp'
import type { Server } from '@modelcontextprotocol/server'
import type { Gateway } from './gateway.ts'
import { createGatewayServer, type GatewayServerOptions } from './gateway-server.ts'
import { InFlight } from './in-flight.ts'

interface StdioServing extends Omit<GatewayServerOptions, 'era'> {
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
  /** How long calls may take after `signal`. */
  readonly graceMs: number
}

/** Serves one client over two streams until it disconnects or `signal` aborts. */
export async function serveOnStdio(gateway: Gateway, serving: StdioServing): Promise<void> {
  const { signal, graceMs } = serving
  const inFlight = new InFlight()
  const counted: Gateway = {
    ...gateway,
    call: async (request, waiting) => {
      if (signal.aborted) throw ending(request.name)
      return inFlight.track(gateway.call(request, waiting))
    },
    answer: (answer, waiting) => inFlight.track(gateway.answer(answer, waiting)),
  }
  let newest: Server | undefined
  const connection = serveServersOverStdio(
    (era) => (newest = createGatewayServer(counted, { ...serving, era })),
    serving,
  )
  // Before the first message there is no client to notify.
  const stop = gateway.onChange(() => void newest?.sendToolListChanged().catch(() => undefined))
  const end = async () => {
    await inFlight.finish(graceMs)
    // The last responses are written first.
    await new Promise((done) => setImmediate(done))
    await connection.close()
  }
  if (signal.aborted) void end()
  signal.addEventListener('abort', () => void end(), { once: true })
  await connection.closed
  stop()
}

function ending(name: string): PmlError {
  const text = `Cannot call ${name.slice(0, 100)}: this gateway is shutting down; start it again`
  return new PmlError('unavailable', text)
}
