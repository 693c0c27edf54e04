/** Work in flight, which gets time to finish before shutdown. */
export class InFlight {
  readonly #work = new Set<Promise<unknown>>()

  track<Result>(work: Promise<Result>): Promise<Result> {
    const over = work.catch(() => undefined).finally(() => this.#work.delete(over))
    this.#work.add(over)
    return work
  }

  /** Resolves when the current work is done or the time is over. */
  async finish(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((done) => (timer = setTimeout(done, timeoutMs)))
    await Promise.race([Promise.all(this.#work), late])
    clearTimeout(timer)
  }
}
