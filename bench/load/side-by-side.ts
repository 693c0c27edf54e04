import type { Bench } from '../bench.ts'
import { median } from '../median.ts'
import type { Load, Rate, Target } from './start-load.ts'

export interface Sides {
  /** The number of warm-up responses of each side. */
  readonly warmUpRequests: number
  /** The requests of a round; rounds differ only as much as they must. */
  readonly ours: (round: number) => Target
  readonly peer: (round: number) => Target
}

const ROUNDS = 13
const ROUND_SECONDS = 0.7
/** The limit of warm-up rounds: figures of a slower machine mean little. */
const MOST_WARM_UP_ROUNDS = 25

/**
 * Our requests per second divided by the peer's. A round measures both in turn, so that other load on the machine affects both;
 * the median ignores rounds in which it did not.
 */
export async function sideBySide({ load, tell }: Bench, name: string, sides: Sides): Promise<number> {
  await warmUp(load, sides.peer, sides.warmUpRequests)
  await warmUp(load, sides.ours, sides.warmUpRequests)
  const rounds: { ours: Rate; peer: Rate }[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const first = round % 2 === 0 ? 'ours' : 'peer'
    const before = await load.run(sides[first](round), ROUND_SECONDS)
    const after = await load.run(sides[first === 'ours' ? 'peer' : 'ours'](round), ROUND_SECONDS)
    rounds.push(first === 'ours' ? { ours: before, peer: after } : { ours: after, peer: before })
  }
  for (const side of ['ours', 'peer'] as const) {
    tell(`${name}: ${sides[side](0).name} ${printRates(rounds.map((round) => round[side]))}`)
  }
  return median(rounds.map(({ ours, peer }) => ours.perSecond / peer.perSecond))
}

async function warmUp(load: Load, target: Sides['ours'], requests: number): Promise<void> {
  let answered = 0
  for (let round = 1; answered < requests && round <= MOST_WARM_UP_ROUNDS; round++) {
    answered += (await load.run(target(-round), ROUND_SECONDS)).perSecond * ROUND_SECONDS
  }
}

/** Prints the rate and how busy the process was: a mostly idle process did not limit the rate. */
function printRates(rates: readonly Rate[]): string {
  const perSecond = median(rates.map((rate) => rate.perSecond))
  const each = rates.flatMap(({ cpuSecondsEach }) => cpuSecondsEach ?? [])
  const rate = `${Math.round(perSecond)} requests/s`
  if (each.length === 0) return rate
  const cost = median(each)
  return `${rate}, ${(cost * 1e6).toFixed(1)} us of processor time each, ${Math.round(cost * perSecond * 100)} % busy`
}
