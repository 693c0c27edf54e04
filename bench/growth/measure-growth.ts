import type { Bench } from '../bench.ts'
import { sideBySide } from '../load/side-by-side.ts'
import type { Target } from '../load/start-load.ts'
import { residentBytes } from '../process-facts.ts'
import { measureDeepPages } from './measure-deep-pages.ts'
import { startGrownRegistries, type GrownRegistry } from './start-grown-registries.ts'
import { createRandom, createZipf } from './zipf.ts'

const LARGE = 100_000
const SMALL = 1000
/** Drawn separately for each round, and more than a round can use. */
const DRAWS = 40_000
/** Enough to measure a registry that has been up for a while, not its first minute. */
const WARM_UP_REQUESTS = 500_000
const MEBIBYTE = 1024 * 1024

/** Measures the cost of a hundred times the entries. */
export async function measureGrowth(bench: Bench): Promise<void> {
  const { wanted } = bench
  const isLoaded = wanted.has('zipf-100k') || wanted.has('memory-100k')
  const isDeep = wanted.has('deep-page') || wanted.has('deep-cursor')
  if (!isLoaded && !isDeep) return
  const registries = await startGrownRegistries(bench, isLoaded ? [SMALL, LARGE] : [LARGE])
  const [small, large] = [registries.get(SMALL), registries.get(LARGE)]
  if (small && large) await measureLoaded(bench, { small, large })
  if (large && isDeep) await measureDeepPages(bench, large)
}

/** Requests popular entries more often, and all of them now and then, with the same distribution for both sizes. */
async function measureLoaded(
  bench: Bench,
  { small, large }: { small: GrownRegistry; large: GrownRegistry },
): Promise<void> {
  const rate = await sideBySide(bench, 'zipf-100k', {
    warmUpRequests: WARM_UP_REQUESTS,
    ours: zipfTarget(large),
    peer: zipfTarget(small),
  })
  bench.report('zipf-100k', rate)
  const [largeBytes, smallBytes] = [large, small].map(({ pid }) => residentBytes(pid))
  if (largeBytes === undefined || smallBytes === undefined) return
  bench.tell(
    `memory-100k: ${Math.round(largeBytes / MEBIBYTE)} MiB against ${Math.round(smallBytes / MEBIBYTE)} MiB`,
  )
  bench.report('memory-100k', largeBytes / smallBytes)
}

function zipfTarget(registry: GrownRegistry): (round: number) => Target {
  const draw = createZipf(registry.fqdns)
  return (round) => {
    const random = createRandom(round)
    const requests = Array.from({ length: DRAWS }, () => ({ path: `/mcp/${draw(random)}` }))
    return { ...registry, name: `${registry.fqdns.length} entries`, requests, status: 200 }
  }
}
