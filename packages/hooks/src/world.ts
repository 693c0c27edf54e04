/** What a decision must know of the machine. Everything is asked at once: a decision never waits. */
export interface World {
  readonly home: string
  /** `missing` where there is no file; `unknown` where nobody can look. */
  readFile(path: string): FileContent
  /** The path with every link resolved, as far as it exists. */
  realPath(path: string): string
}

export type FileContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown' }
