/** Work that is under way, and gets its time before the end. */
export class InFlight {
  readonly #work = new Set<Promise<unknown>>()

  track<Result>(work: Promise<Result>): Promise<Result> {
    const over = work.catch(() => undefined).finally(() => this.#work.delete(over))
    this.#work.add(over)
    return work
  }

  /** Settles when what is under way now is over, or the time is. */
  async finish(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((done) => (timer = setTimeout(done, timeoutMs)))
    await Promise.race([Promise.all(this.#work), late])
    clearTimeout(timer)
  }
}
