/** Evidence that a person gave an answer, stored with the answer. */
export type Proof =
  /** No coding agent started the process that answered, nor the terminal it runs on. */
  | { readonly kind: 'agent-free'; readonly terminal: string }
  /** The MCP client showed its own dialog. */
  | { readonly kind: 'dialog'; readonly client: string }
  | { readonly kind: 'passkey'; readonly credential: string }
  | { readonly kind: 'console'; readonly account: string }
  /** The person's settings require no proof. */
  | { readonly kind: 'none' }

/** Why there is no proof of a person. */
export interface Unproven {
  readonly kind: 'unproven'
  readonly reason: string
}
