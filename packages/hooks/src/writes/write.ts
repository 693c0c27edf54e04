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
   * `after` is, byte for byte, what will be on disk. Otherwise a text is good enough for rules to judge: only the parts
   * that go and come, or line ends that may be others.
   */
  readonly isExact: boolean
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
