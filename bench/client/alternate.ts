/** Performs one run and returns the measured milliseconds. */
export type Timed = () => Promise<number>

export interface Sides {
  readonly ours: Timed
  readonly peer: Timed
}

export interface Times {
  readonly ours: readonly number[]
  readonly peer: readonly number[]
}

export interface Rounds {
  /** Runs before the measurement, without results. */
  readonly warmUps: number
  readonly rounds: number
}

/** Runs both sides in each round, taking turns in being first, so that other load on the machine affects both. */
export async function alternate({ ours, peer }: Sides, { warmUps, rounds }: Rounds): Promise<Times> {
  const times: { ours: number; peer: number }[] = []
  for (let round = 0; round < warmUps + rounds; round++) {
    const isOursFirst = round % 2 === 0
    const before = await (isOursFirst ? ours() : peer())
    const after = await (isOursFirst ? peer() : ours())
    times.push(isOursFirst ? { ours: before, peer: after } : { ours: after, peer: before })
  }
  const counted = times.slice(warmUps)
  return { ours: counted.map(({ ours }) => ours), peer: counted.map(({ peer }) => peer) }
}

export async function timed(work: () => Promise<unknown> | void): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
