/** What is known about a command line without running it. */
export interface ShellFacts {
  /** In execution order, as far as it is known. */
  readonly writes: readonly ShellWrite[]
  /** Files named to commands that may do more than read them. */
  readonly named: readonly ShellWrite[]
  /**
   * Every simple command with known words, joined by one space: `git push --force`. The command that a wrapper such as sudo,
   * env, xargs, timeout or `bash -c` runs is another one. An unknown word is `?`.
   */
  readonly commands: readonly string[]
  /** The possible folders of each command, as far as they are known. */
  readonly folders: ReadonlyMap<string, readonly string[]>
  /** All inline code in other languages, and all text that is sent somewhere. */
  readonly code: readonly InlineCode[]
  /** The input of each command that may do anything with it: arguments, stdin and code; if part of it is unknown, all texts. */
  readonly given: readonly string[]
  /** Commands that read more commands from where the agent can type later, as words joined by one space. */
  readonly sessions: readonly string[]
  /** Unreadable commands: `eval "$x"`, `curl … | sh`, a syntax error. Sentences for a person. */
  readonly unknowns: readonly string[]
  /** False if reading stopped early; later commands are not in the facts. */
  readonly isWhole: boolean
}

export interface InlineCode {
  readonly language: string
  readonly text: string
}

export interface ShellWrite {
  /** An absolute path without resolving links; undefined if unknown. */
  readonly path: string | undefined
  /** For a partly known path: `*` stands for each unknown part, `**` if it may contain folders. */
  readonly pattern?: string
  /** The known parts of the path for a person: `$OUT/a.js`. */
  readonly written: string
  readonly content: ShellContent
}

export type ShellContent =
  | { readonly kind: 'text'; readonly text: string }
  /** Appended to the existing content. */
  | { readonly kind: 'append'; readonly text: string }
  /** The content of the file at this absolute path. */
  | { readonly kind: 'copy'; readonly from: string }
  /** Like copy, but the other file is removed (which is a separate write, `moved`). */
  | { readonly kind: 'move'; readonly from: string }
  | { readonly kind: 'moved'; readonly to: string | undefined }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'unknown'; readonly why: string }

export interface ShellPlace {
  readonly cwd: string
  readonly home: string
  /** Variables with known values; empty if not set. */
  readonly variables?: Readonly<Record<string, string>>
}
