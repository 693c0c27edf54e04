import { availableParallelism } from 'node:os'
import { ask, forkProgram, stopProcess } from '../child-process.ts'
import { findCpuSeconds } from '../process-facts.ts'
import type { Running } from '../running.ts'
import type { Stops } from '../stops.ts'
import type { LoadOutcome, LoadRequest } from './load-order.ts'
import { shareRequests } from './share-requests.ts'

/** A target whose responses must all have one status. */
export interface Target extends Running {
  readonly name: string
  readonly requests: readonly LoadRequest[]
  readonly status: number
}

export interface Rate {
  readonly perSecond: number
  /** CPU time of the target's process per response, if the system reports it. */
  readonly cpuSecondsEach: number | undefined
}

export interface Load {
  /** Sends requests for this long; throws if any response was unexpected. */
  run(target: Target, seconds: number): Promise<Rate>
}

const CONNECTIONS = 32
/** A single generator is slower than the servers it measures and would find them all equally fast. */
const GENERATORS = Math.min(4, Math.max(2, availableParallelism() - 1))

export function startLoad(stops: Stops): Load {
  const generators = Array.from({ length: GENERATORS }, () =>
    forkProgram(new URL('load-generator.ts', import.meta.url)),
  )
  for (const child of generators) stops.add(() => stopProcess(child))

  async function generate({ url, requests }: Target, seconds: number): Promise<LoadOutcome[]> {
    const connections = shareRequests(requests, CONNECTIONS)
    const answers = generators.map((child, index) => {
      const own = connections.filter((_, connection) => connection % GENERATORS === index)
      return ask(child, { url, connections: own, seconds })
    })
    return (await Promise.all(answers)) as LoadOutcome[]
  }

  return {
    run: async (target, seconds) => {
      const before = findCpuSeconds(target.pid)
      const outcomes = await generate(target, seconds)
      const after = findCpuSeconds(target.pid)
      const answers = outcomes.reduce((sum, outcome) => sum + countExpected(target, outcome), 0)
      return {
        perSecond: outcomes.reduce((sum, outcome) => sum + outcome.perSecond, 0),
        cpuSecondsEach: before === undefined || after === undefined ? undefined : (after - before) / answers,
      }
    },
  }
}

function countExpected({ name, status }: Target, { statuses, errors }: LoadOutcome): number {
  const { [String(status)]: expected, ...others } = statuses
  if (errors === 0 && expected !== undefined && Object.keys(others).length === 0) return expected
  throw new Error(
    `Cannot measure ${name}: expected only ${status}, got ${JSON.stringify(statuses)} and ${errors} error(s)`,
  )
}
