import type { Implementation } from '@modelcontextprotocol/client'
import type { ToolDefinition } from '@pml/core/pins'

type ServerState = 'ready' | 'degraded' | 'offline'

export interface ServerStatus {
  readonly state: ServerState
  /** Why it is not ready, for a person; empty if it is ready. */
  readonly reason: string
  /** RFC 3339: the time of the last change of state. */
  readonly since: string
  /** The duration of the last successful handshake or check. */
  readonly latencyMs: number | undefined
  /** Failed starts, failed checks and unexpected exits. */
  readonly errorCount: number
  readonly checkedAt: string | undefined
  readonly isRunning: boolean
  readonly serverInfo: Implementation | undefined
  readonly protocolVersion: string | undefined
}

/** The result of inspecting a session. */
export interface Inspection {
  readonly tools: readonly ToolDefinition[]
  /** Why the server is degraded although it responds. */
  readonly concerns: readonly string[]
}
