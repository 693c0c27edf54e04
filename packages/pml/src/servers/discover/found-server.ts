import type { ConfigProblem, LocalServer } from '@pml/core/local-servers'
import type { ServerScope } from '../../workspace/server-places.ts'

export interface FoundServer extends LocalServer {
  readonly file: string
  readonly scope: ServerScope
}

/** What the files on this machine say of servers. */
export interface Discovery {
  /** By name, in the order of names; of several the one of highest precedence. */
  readonly servers: ReadonlyMap<string, FoundServer>
  readonly problems: readonly ConfigProblem[]
  /** Servers that another file hides, and secrets in files of a project. */
  readonly warnings: readonly string[]
  /** Folders and files that are looked at, in order of precedence, whether they are there or not. */
  readonly places: readonly string[]
  /** The files that are there, in the same order. */
  readonly files: readonly string[]
}
