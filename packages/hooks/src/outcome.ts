/** What the agent is told in the end. */
export type Outcome =
  /** Stay out: the agent does what it would have done without us. `context` is for the agent, where it can be told something. */
  | { readonly kind: 'pass'; readonly context?: string }
  | { readonly kind: 'block'; readonly text: string }
  /** Only for events with `mayAsk`. */
  | { readonly kind: 'ask'; readonly text: string }

/** What a command hook does. */
export interface Reply {
  readonly exitCode: 0 | 2
  readonly stdout: string
  readonly stderr: string
}
