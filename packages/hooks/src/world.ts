/** What a decision must know of the machine. Everything is asked at once: a decision never waits. */
export interface World {
  readonly home: string
  /** `missing` where there is no file; `unknown` where nobody can look. */
  readFile(path: string): FileContent
  /** The path with every link resolved, as far as it exists; `..` behind a link leads up from where that leads. */
  realPath(path: string): string
  /** Other names of the very same file (hard links), as far as they are looked for. */
  otherNames(path: string): readonly string[]
  /** The files and folders of a whole path with `*` in it, and `**` for any folders; not more than a decision can look at. */
  expand(pattern: string): readonly string[]
}

export type FileContent =
  | { readonly kind: 'folder' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  /** `isThere`: there is a file, but its text cannot be known: it is not UTF-8, has NUL bytes, or is too large. */
  | { readonly kind: 'unknown'; readonly isThere?: true }
