import type { JsonValue } from '../canonical-json.ts'
import type { PackageChange } from '../package-change.ts'
import type { Danger } from './dangers.ts'

export interface Release {
  readonly type: 'deno' | 'stdio' | 'http'
  readonly routing: 'client' | 'server'
  /** The bytes that the integrity covers: the code, or the RFC 8785 form of the document. */
  readonly bytes: Uint8Array
  /** The package-lock.json of a pinned server, if known. */
  readonly tree?: Uint8Array
}

/** The information for a person who approves or rejects a new release. */
export interface Change {
  readonly code?: CodeChange
  /** Raw values; `printChange` makes them safe to print. */
  readonly fields: readonly FieldChange[]
  readonly packages?: PackageChanges
  readonly warnings: readonly string[]
}

export interface CodeChange {
  /** The line diff, safe for a terminal. Also set for a document that cannot be compared by fields. */
  readonly unified: string
  readonly added: number
  readonly removed: number
  /** True if `unified` omits lines or parts of long lines that differ. */
  readonly isCut: boolean
  /** The kinds of dangerous new text, including text that is cut. */
  readonly dangers: readonly Danger[]
}

/** Without `before` it was added, without `after` removed. A list of texts has one entry per member. */
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
