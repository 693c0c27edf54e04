/**
 * One call of a tool and what must come of it. In arguments and results `$DIR` stands for a directory of
 * the case's own and `$URL` for the origin of the test server.
 */
export type Case = {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** Files that stand in `$DIR` before the call; a name that ends with / is a directory. */
  readonly files?: Readonly<Record<string, string>>
  /** Files that must stand in `$DIR` after the call, null for those that must not. */
  readonly after?: Readonly<Record<string, string | null>>
} & (
  | { /** Equal to the result; vitest's matchers are allowed. */ readonly result: unknown }
  | { /** Part of the error's message. */ readonly error: string }
)

/** What a call gave, as JSON, wherever it ran. */
export type Outcome =
  | { readonly result: unknown }
  | {
      readonly error: {
        readonly message: string
        /** Of the error and its causes. */ readonly names: readonly string[]
      }
    }

export interface NamedCase {
  readonly title: string
  readonly module: string
  readonly case: Case
}
