/** The facts about the machine that a decision needs. All are read synchronously: a decision never waits. */
export interface World {
  readonly home: string
  /** `missing` if there is no file; `unknown` if the disk cannot be read. */
  readFile(path: string): FileContent
  /** The path with every link resolved, as far as it exists; `..` after a link is relative to the link's target. */
  realPath(path: string): string
  /** Other names of the same file (hard links), as far as they are searched. */
  otherNames(path: string): readonly string[]
  /**
   * The files and folders that match a whole path with `*`, and `**` for any folders; at most as many as a decision can check.
   */
  expand(pattern: string): readonly string[]
}

export type FileContent =
  | { readonly kind: 'folder' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  /** `isThere`: the file exists, but its text is unknown: it is not UTF-8, contains NUL bytes, or is too large. */
  | { readonly kind: 'unknown'; readonly isThere?: true }
