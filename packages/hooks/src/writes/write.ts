import type { FileContent } from '../world.ts'

/** One file that a call would change. */
export interface Write {
  /** The absolute paths of the file: as named, and with links resolved. Empty if unknown. */
  readonly paths: readonly string[]
  /** As the agent wrote it. */
  readonly written: string
  readonly before: FileContent
  readonly after: After
  /**
   * True if `after` is the exact new content. Otherwise it is a text for rules to judge: only the removed and added parts, or
   * with other line ends.
   */
  readonly isExact: boolean
}

export type After =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'moved'; readonly to: string | undefined }
  | { readonly kind: 'unknown'; readonly why: string }

/** The new content of the file, if known. */
export function textOf({ after }: Write): string | undefined {
  return after.kind === 'text' ? after.text : undefined
}
