/** How it is known that a person gave an answer. It is written with the answer. */
export type Proof =
  /** No coding agent started the process that answered, nor the terminal it runs on. */
  | { readonly kind: 'agent-free'; readonly terminal: string }
  /** A client that asked for the answer showed its own dialog. */
  | { readonly kind: 'dialog'; readonly client: string }
  | { readonly kind: 'passkey'; readonly credential: string }
  | { readonly kind: 'console'; readonly account: string }
  /** The person's settings ask for no proof here. */
  | { readonly kind: 'none' }

/** Why a process proves no person. */
export interface Unproven {
  readonly kind: 'unproven'
  readonly reason: string
}
