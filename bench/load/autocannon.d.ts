// The part of autocannon 8 that the load generator uses; the package has no types.
declare module 'autocannon' {
  interface AutocannonRequest {
    path: string
    method?: 'POST'
    body?: string
    headers?: Record<string, string>
  }
  interface AutocannonClient {
    setRequests(requests: AutocannonRequest[]): void
  }
  interface AutocannonOptions {
    url: string
    connections: number
    pipelining: number
    /** Seconds; the run ends with the sample (`sampleInt`, in milliseconds) that contains the end. */
    duration: number
    sampleInt: number
    setupClient: (client: AutocannonClient) => void
  }
  interface AutocannonResult {
    requests: { total: number }
    statusCodeStats: Record<string, { count: number }>
    errors: number
  }
  interface Tracker {
    /** Emitted when every connection is ready and before the first response. */
    on(event: 'start', listener: () => void): void
  }
  export default function autocannon(
    options: AutocannonOptions,
    done: (error: Error | null, result: AutocannonResult) => void,
  ): Tracker
}
