import { Agent } from 'node:http'
import type { Bench } from '../bench.ts'
import type { LineName } from '../lines.ts'
import type { LoadRequest } from '../load/load-order.ts'
import { sideBySide } from '../load/side-by-side.ts'
import { readAnswer, requireSameAnswer, withoutNodeHeaders } from '../raw-answer.ts'
import type { Running } from '../running.ts'
import { startBareServer } from './start-bare-server.ts'

export interface Case {
  readonly name: LineName
  readonly request: LoadRequest
  readonly status: number
}

const WARM_UP_REQUESTS = 10_000

/** One request over and over, compared with a server that returns the response without any work. */
export async function againstBare(
  bench: Bench,
  registry: Running,
  { name, request, status }: Case,
): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const read = ({ url }: Running) => readAnswer(url + request.path, { ...request, agent })
  const answer = await read(registry)
  const bare = await startBareServer(withoutNodeHeaders(answer), bench.stops)
  requireSameAnswer(answer, await read(bare))
  agent.destroy()
  const figure = await sideBySide(bench, name, {
    warmUpRequests: WARM_UP_REQUESTS,
    ours: () => ({ ...registry, name: 'registry', requests: [request], status }),
    peer: () => ({ ...bare, name: 'bare node:http', requests: [request], status }),
  })
  bench.report(name, figure)
}
