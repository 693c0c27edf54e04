// In its own process: runs one order after another, so that it is equally warm for both sides.
import autocannon from 'autocannon'
import type { LoadOrder, LoadOutcome } from './load-order.ts'

const SAMPLE_MS = 50

process.on('message', (order) => {
  void runLoad(order as LoadOrder).then((outcome) => process.send?.(outcome))
})
process.on('disconnect', () => process.exit())

function runLoad({ url, connections, seconds }: LoadOrder): Promise<LoadOutcome> {
  return new Promise((done, fail) => {
    const shares = connections.map((share) =>
      share.map(({ path, headers, body }) => ({
        path,
        headers: { ...headers },
        ...(body === undefined ? {} : { method: 'POST' as const, body }),
      })),
    )
    let began = performance.now()
    const tracker = autocannon(
      {
        url,
        connections: shares.length,
        pipelining: 1,
        duration: seconds,
        sampleInt: SAMPLE_MS,
        setupClient: (client) => client.setRequests(shares.pop() ?? []),
      },
      (error, { requests: { total }, statusCodeStats, errors }) => {
        if (error) return fail(error)
        const statuses = Object.fromEntries(
          Object.entries(statusCodeStats).map(([status, { count }]) => [status, count]),
        )
        done({ perSecond: (total * 1000) / (performance.now() - began), statuses, errors })
      },
    )
    tracker.on('start', () => (began = performance.now()))
  })
}
