import { canonicalJson } from '@pml/core'
import type { FoundServer } from './discover/found-server.ts'
import type { ServerListing } from './listing/server-listing.ts'
import type { ServerStatus } from './supervise/server-status.ts'
import type { ServerInfo } from './servers.ts'
import type { SupervisedServer } from './supervise/supervised-server.ts'

/** A server of a file, and what has come of it. */
export interface Known {
  readonly found: FoundServer
  /** Another one when it must be started anew. */
  readonly key: string
  readonly server: SupervisedServer
  isEnabled: boolean
  listing: ServerListing | undefined
  /** What it shows is not what is locked. */
  hasDrifted: boolean
  /** Why it is not to be started, if it is not. */
  obstacle: string | undefined
  stopListening(): void
}

export function infoOf(entry: Known): ServerInfo {
  const { found, isEnabled, listing } = entry
  const { name, scope, file, launch, description } = found
  return {
    name,
    scope,
    file,
    description,
    transport: launch.kind,
    isEnabled,
    ...statusOf(entry),
    tools: listing?.tools.map((tool) => tool.name).toSorted(),
  }
}

export function statusOf({ found, server, isEnabled, hasDrifted, obstacle }: Known): ServerStatus {
  const { status } = server
  if (!isEnabled) return { ...status, state: 'offline', reason: 'disabled' }
  if (obstacle !== undefined && !status.isRunning) return { ...status, state: 'offline', reason: obstacle }
  if (!hasDrifted || status.state === 'offline') return status
  const reason = `it is not what was locked; "pml mcp test ${found.name}" shows the difference and asks`
  return {
    ...status,
    state: 'degraded',
    reason: status.reason === '' ? reason : `${status.reason}; ${reason}`,
  }
}

export function keyOf({
  launch,
  startTimeoutMs,
  callTimeoutMs,
  tools,
  capabilities,
  file,
}: FoundServer): string {
  return canonicalJson(
    JSON.parse(JSON.stringify({ launch, startTimeoutMs, callTimeoutMs, tools, capabilities, file })),
  )
}
