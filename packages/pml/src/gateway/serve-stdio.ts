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
  /** What calls get when `signal` has come. */
  readonly graceMs: number
}

/** For the one client at the other end of two streams, until it leaves or `signal`. */
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
  // Before the first message nobody is told; whoever comes reads the list anyway.
  const stop = gateway.onChange(() => void newest?.sendToolListChanged().catch(() => undefined))
  const end = async () => {
    await inFlight.finish(graceMs)
    // The last answers are written first.
    await new Promise((done) => setImmediate(done))
    await connection.close()
  }
  if (signal.aborted) void end()
  signal.addEventListener('abort', () => void end(), { once: true })
  await connection.closed
  stop()
}

function ending(name: string): PmlError {
  const text = `Cannot call ${name.slice(0, 100)}: this gateway is ending; start it again`
  return new PmlError('unavailable', text)
}
