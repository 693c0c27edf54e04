import type { Implementation } from '@modelcontextprotocol/client'
import type { ToolDefinition } from '@pml/core/pins'

type ServerState = 'ready' | 'degraded' | 'offline'

export interface ServerStatus {
  readonly state: ServerState
  /** Why it is not ready, in words for a person; empty when it is. */
  readonly reason: string
  /** RFC 3339: how long it has been so. */
  readonly since: string
  /** Of the last handshake or check that succeeded. */
  readonly latencyMs: number | undefined
  /** Failed starts, failed checks and ends that nobody asked for. */
  readonly errorCount: number
  readonly checkedAt: string | undefined
  readonly isRunning: boolean
  readonly serverInfo: Implementation | undefined
  readonly protocolVersion: string | undefined
}

/** What was found when a session was looked at. */
export interface Inspection {
  readonly tools: readonly ToolDefinition[]
  /** What keeps it from being ready though it answers. */
  readonly concerns: readonly string[]
}
