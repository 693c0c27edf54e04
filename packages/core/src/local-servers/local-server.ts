/** A server as described by a file on this machine. */
export interface LocalServer {
  /** One component of a name. */
  readonly name: string
  readonly description: string
  readonly launch: LocalLaunch
  /** The file's value; a person's `pml mcp enable` or `disable` overrides it. */
  readonly isDisabled: boolean
  /** The tools named in the file; undefined if it names none. */
  readonly tools: readonly string[] | undefined
  /** Declared capabilities of the protocol, such as `tools` and `resources`. */
  readonly capabilities: readonly string[] | undefined
  /** The timeout of the start and the handshake. */
  readonly startTimeoutMs: number | undefined
  readonly callTimeoutMs: number | undefined
}

/** As written: `${NAME}` stands for an environment variable and is not filled in. */
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

/** Line and column count from 1. No message repeats a value, because a value may be a secret. */
export interface ConfigProblem {
  readonly file: string
  readonly line: number
  readonly column: number
  /** Such as `mcpServers.github.args[2]`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
  /** Set if the text is not JSON; the name that other registries of servers use. */
  readonly name?: 'ErrInvalidJSON'
}

export interface ParsedServerFile {
  /** The servers without problems. */
  readonly servers: readonly LocalServer[]
  /** All problems in the order of the text. */
  readonly problems: readonly ConfigProblem[]
}
