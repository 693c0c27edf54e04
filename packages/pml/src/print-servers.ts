import { printable, printTable, type Layout } from '@pml/tools/cli'
import type { ShownServer } from './server-shapes.ts'

export interface ServerList {
  readonly servers: readonly ShownServer[]
  readonly places: readonly string[]
  readonly problems: readonly string[]
}

/** A line for each server, and below what is wrong with which. */
export function printServers({ servers, places, problems }: ServerList, layout: Layout): string {
  const wrong = problems.map((problem) => printable(problem))
  if (servers.length === 0)
    return `${['No servers. Files that describe them are looked for in:', ...places.map((place) => `  ${printable(place)}`), ...wrong].join('\n')}\n`
  const rows = servers.map(({ name, status, latencyMs, errors, tools, lastCheck }) => ({
    name,
    status,
    latency: latencyMs === null ? '-' : `${latencyMs} ms`,
    errors,
    tools: tools === null ? '-' : tools.length,
    'last check': lastCheck ?? '-',
  }))
  const reasons = servers
    .filter(({ reason }) => reason !== '')
    .map(({ name, reason }) => `${printable(name)}: ${printable(reason)}`)
  return `${[...printTable(rows, layout), ...reasons, ...wrong].join('\n')}\n`
}
