/** A server in its own process. */
export interface Running {
  readonly url: string
  readonly pid: number
}
