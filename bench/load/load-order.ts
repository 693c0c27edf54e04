/** What a load generator is told to do, and what it says afterwards. */
export interface LoadOrder {
  readonly url: string
  /** The requests of each connection, which goes round them. */
  readonly connections: readonly (readonly LoadRequest[])[]
  readonly seconds: number
}

export interface LoadRequest {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent by POST; without one it is a GET. */
  readonly body?: string | undefined
}

export interface LoadOutcome {
  readonly perSecond: number
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<string, number>>
  readonly errors: number
}
