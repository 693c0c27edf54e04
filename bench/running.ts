/** A server in a process of its own. */
export interface Running {
  readonly url: string
  readonly pid: number
}
