type Stop = () => Promise<void> | void

/** What must be ended however the bench ends: the last started first. */
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
