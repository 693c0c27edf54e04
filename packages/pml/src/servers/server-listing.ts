import type { ToolDefinition } from '@pml/core/pins'

/** What a local server is and shows of itself: what a person trusts when the server is locked. */
export interface ServerListing {
  readonly launch: ListedLaunch
  readonly instructions: string | null
  readonly tools: readonly ToolDefinition[]
}

/** As it is written in its file: names of variables and headers, and never their values. */
export type ListedLaunch =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: readonly string[]
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: readonly string[] }
