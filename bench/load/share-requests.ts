import type { LoadRequest } from './load-order.ts'

/** Connections that all walked the same list would ask for the same thing at the same moment. */
export function shareRequests(
  requests: readonly LoadRequest[],
  connections: number,
): (readonly LoadRequest[])[] {
  if (requests.length < connections) return Array.from({ length: connections }, () => requests)
  return Array.from({ length: connections }, (_, connection) =>
    requests.filter((_, index) => index % connections === connection),
  )
}
