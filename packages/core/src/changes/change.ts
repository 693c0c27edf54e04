import type { JsonValue } from '../canonical-json.ts'
import type { PackageChange } from '../package-change.ts'
import type { Danger } from './dangers.ts'

export interface Release {
  readonly type: 'deno' | 'stdio' | 'http'
  readonly routing: 'client' | 'server'
  /** Exactly what the integrity covers: the code, or the RFC 8785 form of the document. */
  readonly bytes: Uint8Array
  /** The package-lock.json of a pinned server, if it is known. */
  readonly tree?: Uint8Array
}

/** What a person who approves or rejects a new release wants to know. */
export interface Change {
  readonly code?: CodeChange
  /** Values stand here as they are; `printChange` makes them safe to look at. */
  readonly fields: readonly FieldChange[]
  readonly packages?: PackageChanges
  readonly warnings: readonly string[]
}

export interface CodeChange {
  /** The difference by lines, fit for a terminal. Also of a document that cannot be read by its fields. */
  readonly unified: string
  readonly added: number
  readonly removed: number
  /** Something that differs is not in `unified`: lines at its end, or parts of long lines. */
  readonly isCut: boolean
  /** The kinds of what is new, by all of it: also of what is cut. */
  readonly dangers: readonly Danger[]
}

/** Without `before` it was added, without `after` removed. A list of texts has one of these for each member. */
export interface FieldChange {
  readonly path: string
  readonly before?: JsonValue
  readonly after?: JsonValue
}

export interface PackageChanges {
  readonly added: readonly PackageChange[]
  readonly removed: readonly PackageChange[]
  readonly bumped: readonly PackageChange[]
  readonly rehashed: readonly PackageChange[]
  /** Packages of the new tree with install scripts. */
  readonly installScripts: readonly string[]
}
