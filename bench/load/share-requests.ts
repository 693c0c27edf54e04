import type { LoadRequest } from './load-order.ts'

/** Distributes requests over connections, which would otherwise all send the same one at the same time. */
export function shareRequests(
  requests: readonly LoadRequest[],
  connections: number,
): (readonly LoadRequest[])[] {
  if (requests.length < connections) return Array.from({ length: connections }, () => requests)
  return Array.from({ length: connections }, (_, connection) =>
    requests.filter((_, index) => index % connections === connection),
  )
}
