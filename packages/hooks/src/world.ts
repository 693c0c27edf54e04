/** What a decision must know of the machine. Everything is asked at once: a decision never waits. */
export interface World {
  /** The folder that globs of a policy without a leading slash are relative to. */
  readonly root: string
  readonly home: string
  /** Folders of `pml` itself. */
  readonly installation: readonly string[]
  readonly isCaseSensitive: boolean
  /** `missing` where there is no file; `unknown` where nobody can look. Throws where there is one that cannot be read. */
  readFile(path: string): FileContent
  /** The path with every link resolved, as far as it exists. */
  realPath(path: string): string
}

export type FileContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown' }
