import { PmlError } from '@pml/core'
import type { HealthReport } from '../api/pml.ts'
import { statusOf, type Known } from './known-server.ts'
import { handshakeFailed } from './discover/server-errors.ts'
import type { LocalServer } from '@pml/core/local-servers'

interface Testing {
  readonly signal: AbortSignal
  readonly checkTimeoutMs: number
}

/** Starts it where it does not run, and asks once whether it answers. */
export async function testServer(entry: Known, { signal, checkTimeoutMs }: Testing): Promise<HealthReport> {
  const { server, found } = entry
  const fail = (error: unknown): never => {
    throw error instanceof PmlError ? handshakeFailed(found.name, error) : error
  }
  const began = performance.now()
  const session = await server.open(signal).catch(fail)
  const asked = performance.now()
  await session.check({ signal, timeoutMs: checkTimeoutMs }).catch(fail)
  const answered = performance.now()
  const { state, reason, protocolVersion, serverInfo } = statusOf(entry)
  const tools = server.inspection?.tools ?? []
  return {
    status: state,
    reason,
    handshakeMs: tenths(asked - began),
    pingMs: tenths(answered - asked),
    protocolVersion,
    serverInfo,
    capabilities: Object.keys(session.capabilities).sort(),
    tools: tools.map((tool) => tool.name).toSorted(),
    missing: findMissing(found, { tools, capabilities: session.capabilities }),
  }
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}

/** What a server really has. */
interface Real {
  readonly tools: readonly { readonly name: string }[]
  readonly capabilities: Readonly<Record<string, unknown>>
}

/** What the file declares and the server does not have, in words. */
export function findMissing({ tools, capabilities }: LocalServer, real: Real): string[] {
  const names = new Set(real.tools.map(({ name }) => name))
  return [
    ...(tools ?? []).filter((name) => !names.has(name)).map((name) => `tool ${name}`),
    ...(capabilities ?? [])
      .filter((name) => real.capabilities[name] === undefined)
      .map((name) => `capability ${name}`),
  ]
}
