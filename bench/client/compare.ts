import type { Bench } from '../bench.ts'
import type { LineName } from '../lines.ts'
import { median } from '../median.ts'
import { alternate, type Rounds, type Sides, type Times } from './alternate.ts'
import { middleHalf } from './middle-half.ts'

export interface Comparison extends Sides, Rounds {
  /** The name of the other side. */
  readonly against: string
}

/** Reports our median time divided by the peer's, and prints both. */
export async function compare(
  { report, tell }: Bench,
  name: LineName,
  comparison: Comparison,
): Promise<void> {
  const times = await alternate(comparison, comparison)
  tell(`${name}: ${printTimes(times, comparison.against)}`)
  report(name, median(times.ours) / median(times.peer))
}

/** Adds the middle half of the rounds in parentheses, which shows how noisy the machine was. */
export function printTimes({ ours, peer }: Times, against: string): string {
  const print = (values: readonly number[]) => {
    const [low, high] = middleHalf(values)
    return `${median(values).toFixed(2)} ms (${low.toFixed(2)} to ${high.toFixed(2)})`
  }
  return `${print(ours)} against ${print(peer)} for ${against}, ${ours.length} rounds`
}
