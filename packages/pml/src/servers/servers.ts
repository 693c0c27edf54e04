import type { ConfigProblem } from '@pml/core/local-servers'
import type { HealthReport } from '../api/pml.ts'
import type { ServerScope } from '../workspace/server-places.ts'
import type { FoundServer } from './discover/found-server.ts'
import type { ServerListing } from './listing/server-listing.ts'
import type { ServerStatus } from './supervise/server-status.ts'
import type { SupervisedServer } from './supervise/supervised-server.ts'

/** A server of this machine, as it is shown. */
export interface ServerInfo extends ServerStatus {
  readonly name: string
  readonly isEnabled: boolean
  readonly scope: ServerScope
  readonly file: string
  readonly transport: 'stdio' | 'http'
  readonly description: string
  /** Names; undefined while nobody has seen them. */
  readonly tools: readonly string[] | undefined
}

/** What a call needs of a local server. */
export interface LocalServerUse {
  readonly found: FoundServer
  readonly isEnabled: boolean
  readonly server: SupervisedServer
  /** Of the session that runs; undefined before the first. */
  readonly listing: ServerListing | undefined
}

export type ServerEventName =
  | 'mcp_tool_loaded'
  | 'mcp_tool_removed'
  | 'mcp_tool_enabled'
  | 'mcp_tool_disabled'

/** The servers that files on this machine describe. All names of servers that are not there are `ErrToolNotFound`. */
export interface Servers {
  /** Starts those that are to run from the beginning, all at once. Gives how many are ready or degraded. */
  init(): Promise<number>
  /** Calls in flight get so long; afterwards nothing of any server is alive. Throws `ErrCloseTimeout` if calls were cut off. */
  close(timeoutMs: number): Promise<void>
  /** Looks at the files again. Gives how many servers came, changed or went. */
  reload(): Promise<number>
  /** By name. */
  list(): readonly ServerInfo[]
  get(name: string): ServerInfo
  enable(name: string): Promise<void>
  /** From now on calls are refused with `ErrToolDisabled`. */
  disable(name: string): Promise<void>
  /** Starts this very server where it does not run, and asks whether it answers. Throws where its file has changed meanwhile. */
  test(local: LocalServerUse, signal: AbortSignal): Promise<HealthReport>
  /** Undefined where no file speaks of it, or a server of the registry is locked under its name. */
  find(name: string): Promise<LocalServerUse | undefined>
  readonly problems: readonly ConfigProblem[]
  /** Where files are looked for. */
  readonly places: readonly string[]
  /** Compares what servers showed with the lockfile once more. */
  recheck(): Promise<void>
  /** After every change of what `list` gives. */
  onChange(listener: () => void): () => void
  /** After a change of what may be called: servers, what is locked of them, rules. */
  onToolsChange(listener: () => void): () => void
}
