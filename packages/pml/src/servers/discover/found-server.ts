import type { ConfigProblem, LocalServer } from '@pml/core/local-servers'
import type { ServerScope } from '../../workspace/server-places.ts'

export interface FoundServer extends LocalServer {
  readonly file: string
  readonly scope: ServerScope
}

/** The servers that files on this machine describe. */
export interface Discovery {
  /** Sorted by name; the one of highest precedence if a name appears several times. */
  readonly servers: ReadonlyMap<string, FoundServer>
  readonly problems: readonly ConfigProblem[]
  /** Servers hidden by another file, and secrets in files of a project. */
  readonly warnings: readonly string[]
  /** The searched folders and files in order of precedence, existing or not. */
  readonly places: readonly string[]
  /** The files found, in the same order. */
  readonly files: readonly string[]
}
