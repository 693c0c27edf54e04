/** The final answer to the agent. */
export type Outcome =
  /** pml does not interfere. `context` is for agents that accept it. */
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
