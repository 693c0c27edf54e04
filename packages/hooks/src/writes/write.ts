import type { FileContent } from '../world.ts'

/** One file that a call would change. */
export interface Write {
  /** Whole paths that it goes by: as it was named, and where the links in that lead. None where it cannot be known. */
  readonly paths: readonly string[]
  /** As the agent wrote it. */
  readonly written: string
  readonly before: FileContent
  readonly after: After
  /**
   * Only these parts are known, before and after, and they say what is added and removed; the rest of the file stays.
   */
  readonly isPart: boolean
}

export type After =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'moved'; readonly to: string | undefined }
  | { readonly kind: 'unknown'; readonly why: string }

/** What the file would hold, where that is known. */
export function textOf({ after }: Write): string | undefined {
  return after.kind === 'text' ? after.text : undefined
}
