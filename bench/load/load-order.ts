/** The messages between the bench and a load generator. */
export interface LoadOrder {
  readonly url: string
  /** The requests of each connection, sent in a cycle. */
  readonly connections: readonly (readonly LoadRequest[])[]
  readonly seconds: number
}

export interface LoadRequest {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent by POST; without it the request is a GET. */
  readonly body?: string | undefined
}

export interface LoadOutcome {
  readonly perSecond: number
  /** The number of responses by status. */
  readonly statuses: Readonly<Record<string, number>>
  readonly errors: number
}
