/** A server as a file on this machine describes it. */
export interface LocalServer {
  /** One component of a name. */
  readonly name: string
  readonly description: string
  readonly launch: LocalLaunch
  /** What the file says; a person's `pml mcp enable` or `disable` has the last word. */
  readonly isDisabled: boolean
  /** Tools that it is said to have; undefined where the file does not say. */
  readonly tools: readonly string[] | undefined
  /** Capabilities of the protocol that it is said to have, such as `tools` and `resources`. */
  readonly capabilities: readonly string[] | undefined
  /** For the start and the handshake. */
  readonly startTimeoutMs: number | undefined
  readonly callTimeoutMs: number | undefined
}

/** As it is written: `${NAME}` stands for a variable of the environment and is not filled in. */
export type LocalLaunch =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      /** Relative to the workspace. */
      readonly cwd: string | undefined
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** Line and column count from 1. No message repeats a value: a value may be a secret. */
export interface ConfigProblem {
  readonly file: string
  readonly line: number
  readonly column: number
  /** Such as `mcpServers.github.args[2]`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
  /** Where the text is no JSON at all: what other registries of servers call that. */
  readonly name?: 'ErrInvalidJSON'
}

export interface ParsedServerFile {
  /** Those that nothing is wrong with. */
  readonly servers: readonly LocalServer[]
  /** All of them, in the order of the text. */
  readonly problems: readonly ConfigProblem[]
}
