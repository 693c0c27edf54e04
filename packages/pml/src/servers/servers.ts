import type { ConfigProblem } from '@pml/core/local-servers'
import type { HealthReport } from '../api/pml.ts'
import type { ServerScope } from '../workspace/server-places.ts'
import type { FoundServer } from './discover/found-server.ts'
import type { ServerListing } from './listing/server-listing.ts'
import type { ServerStatus } from './supervise/server-status.ts'
import type { SupervisedServer } from './supervise/supervised-server.ts'

/** A local server, as it is shown. */
export interface ServerInfo extends ServerStatus {
  readonly name: string
  readonly isEnabled: boolean
  readonly scope: ServerScope
  readonly file: string
  readonly transport: 'stdio' | 'http'
  readonly description: string
  /** Tool names; undefined until the server was started. */
  readonly tools: readonly string[] | undefined
}

/** The parts of a local server that a call takes. */
export interface LocalServerUse {
  readonly found: FoundServer
  readonly isEnabled: boolean
  readonly server: SupervisedServer
  /** The listing of the current session; undefined before the first one. */
  readonly listing: ServerListing | undefined
}

export type ServerEventName =
  | 'mcp_tool_loaded'
  | 'mcp_tool_removed'
  | 'mcp_tool_enabled'
  | 'mcp_tool_disabled'

/** The servers that files on this machine describe. An unknown name is `ErrToolNotFound`. */
export interface Servers {
  /** Starts servers whose tools are not known yet, in parallel. Returns how many are ready or degraded. */
  init(): Promise<number>
  /** Ends all servers; calls in flight may take `timeoutMs`. Throws `ErrCloseTimeout` if calls were aborted. */
  close(timeoutMs: number): Promise<void>
  /** Reads the files again. Returns how many servers were added, changed or removed. */
  reload(): Promise<number>
  /** By name. */
  list(): readonly ServerInfo[]
  get(name: string): ServerInfo
  enable(name: string): Promise<void>
  /** Later calls are refused with `ErrToolDisabled`. */
  disable(name: string): Promise<void>
  /** Starts this server unless it runs, and pings it. Throws if its file has changed since `find`. */
  test(local: LocalServerUse, signal: AbortSignal): Promise<HealthReport>
  /** Undefined if no file describes it, or a registry server is locked under its name. */
  find(name: string): Promise<LocalServerUse | undefined>
  readonly problems: readonly ConfigProblem[]
  /** The paths that are searched for files. */
  readonly places: readonly string[]
  /** Compares the listings of all servers with the lockfile again. */
  recheck(): Promise<void>
  /** Called after every change of `list`. */
  onChange(listener: () => void): () => void
  /** Called after a change of servers, lock entries or rules. */
  onToolsChange(listener: () => void): () => void
}
