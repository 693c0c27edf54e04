/** What can be said about a command line without running it. */
export interface ShellFacts {
  /** In the order in which they would be done, as far as there is one. */
  readonly writes: readonly ShellWrite[]
  /** Files that are named to commands which are not known to only read them. */
  readonly named: readonly ShellWrite[]
  /**
   * Every simple command whose words are known, as words joined by one space: `git push --force`. What a wrapper such as
   * sudo, env, xargs, timeout or `bash -c` runs is one more. A word that cannot be known is `?`.
   */
  readonly commands: readonly string[]
  /** Of each command, the folders that it may run in, as far as they are known. */
  readonly folders: ReadonlyMap<string, readonly string[]>
  /** All code in another language that is given inline, and all text that is sent somewhere. */
  readonly code: readonly InlineCode[]
  /** What is given to each command that may do anything with it: its words, input and code, where it is not known all texts. */
  readonly given: readonly string[]
  /** Commands that take more commands from where the agent can type them later, as words joined by one space. */
  readonly sessions: readonly string[]
  /** What is run and cannot be seen through: `eval "$x"`, `curl … | sh`, a syntax error. Sentences for a person. */
  readonly unknowns: readonly string[]
  /** False where it was given up: what comes behind is not in the facts. */
  readonly isWhole: boolean
}

export interface InlineCode {
  readonly language: string
  readonly text: string
}

export interface ShellWrite {
  /** A whole path, links not resolved; undefined where it cannot be known. */
  readonly path: string | undefined
  /** Of a path that is known but for some parts: `*` stands for each, `**` where it may be folders deep. */
  readonly pattern?: string
  /** What is known of a path that is not known as a whole, for a person: `$OUT/a.js`. */
  readonly written: string
  readonly content: ShellContent
}

export type ShellContent =
  | { readonly kind: 'text'; readonly text: string }
  /** Goes behind what is there. */
  | { readonly kind: 'append'; readonly text: string }
  /** Becomes what the file at this whole path holds. */
  | { readonly kind: 'copy'; readonly from: string }
  /** As copy, and the other file is gone then (which is a write of its own, `moved`). */
  | { readonly kind: 'move'; readonly from: string }
  | { readonly kind: 'moved'; readonly to: string | undefined }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'unknown'; readonly why: string }

export interface ShellPlace {
  readonly cwd: string
  readonly home: string
  /** Variables whose values are known, empty where they are not set. */
  readonly variables?: Readonly<Record<string, string>>
}
