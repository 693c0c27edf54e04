import { PmlError } from '@pml/core'
import type { HealthReport } from '../api/pml.ts'
import { findMissing, statusOf, type Known } from './known-server.ts'
import { handshakeFailed } from './discover/server-errors.ts'

interface Testing {
  readonly signal: AbortSignal
  readonly checkTimeoutMs: number
}

/** Starts a server unless it runs, and pings it once. */
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
