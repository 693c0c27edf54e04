import { Agent } from 'node:http'
import type { Bench } from '../bench.ts'
import type { LoadRequest } from '../load/load-order.ts'
import { sideBySide } from '../load/side-by-side.ts'
import { startBareServer } from '../peers/start-bare-server.ts'
import { readAnswer, requireSameAnswer, withoutNodeHeaders } from '../raw-answer.ts'
import type { ApprovalRegistry, Sizes } from './measure-approvals.ts'

const WARM_UP_REQUESTS = 10_000
/** The number of contents that a round checks; other rounds check others. */
const HASHES = 640

/** Checks of approved contents, compared with a server that returns the response without any work. */
export async function measureChecks(bench: Bench, { small, large }: Sizes): Promise<void> {
  const target = (registry: ApprovalRegistry, name: string) => (round: number) => ({
    ...registry,
    name,
    requests: checksOf(registry, round),
    status: 200,
  })
  if (bench.wanted.has('check')) {
    const agent = new Agent({ keepAlive: true })
    const [request] = checksOf(large, 0)
    if (!request) throw new Error('Cannot check: there are no approvals')
    const answer = await readAnswer(large.url + request.path, { ...request, agent })
    const bare = await startBareServer(withoutNodeHeaders(answer), bench.stops)
    requireSameAnswer(answer, await readAnswer(bare.url + request.path, { ...request, agent }))
    agent.destroy()
    const figure = await sideBySide(bench, 'check', {
      warmUpRequests: WARM_UP_REQUESTS,
      ours: target(large, 'registry with 100,000 approvals'),
      peer: (round) => ({ ...bare, name: 'bare node:http', requests: checksOf(large, round), status: 200 }),
    })
    bench.report('check', figure)
  }
  if (bench.wanted.has('check-growth')) {
    const figure = await sideBySide(bench, 'check-growth', {
      warmUpRequests: WARM_UP_REQUESTS,
      ours: target(large, '100,000 approvals'),
      peer: target(small, '1,000 approvals'),
    })
    bench.report('check-growth', figure)
  }
}

function checksOf({ approvals, hookKey }: ApprovalRegistry, round: number): LoadRequest[] {
  const headers = { Authorization: `Bearer ${hookKey}` }
  // A step that has no common divisor with the number of approvals reaches all of them.
  return Array.from({ length: HASHES }, (_, index) => {
    const at = (Math.abs(round) * HASHES + index) * 7919
    return { path: `/approvals/check?hash=${approvals[at % approvals.length]?.contentHash}`, headers }
  })
}
