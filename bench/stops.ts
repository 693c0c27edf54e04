type Stop = () => Promise<void> | void

/** Cleanups that run however the bench ends, in reverse order. */
export interface Stops {
  add(stop: Stop): void
  run(): Promise<void>
}

export function createStops(): Stops {
  const started: Stop[] = []
  let running: Promise<void> | undefined
  const stopAll = async () => {
    for (const stop of started.toReversed()) {
      await Promise.resolve(stop()).catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
    }
  }
  return {
    add: (stop) => started.push(stop),
    run: () => (running ??= stopAll()),
  }
}
