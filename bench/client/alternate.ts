/** Does something once and gives the milliseconds that count. */
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
  /** Done first, and left out. */
  readonly warmUps: number
  readonly rounds: number
}

/** Both sides once in each round, in turn first and second, so that whatever else the machine does meets both. */
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
