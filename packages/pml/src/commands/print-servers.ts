import { printable, printTable, type Layout } from '@pml/tools/cli'
import type { ShownServer } from '../calls/server-shapes.ts'

export interface ServerList {
  readonly servers: ShownServer[]
  readonly places: string[]
  readonly problems: string[]
}

/** A line for each server, then the reasons why some are not ready. */
export function printServers({ servers, places, problems }: ServerList, layout: Layout): string {
  const wrong = problems.map((problem) => printable(problem))
  if (servers.length === 0)
    return `${['No servers. Files that describe them are looked for in:', ...places.map((place) => `  ${printable(place)}`), ...wrong].join('\n')}\n`
  const rows = servers.map(rowOf)
  const reasons = servers
    .filter(({ reason }) => reason !== '')
    .map(({ name, reason }) => `${printable(name)}: ${printable(reason)}`)
  return `${[...printTable(rows, layout), ...reasons, ...wrong].join('\n')}\n`
}

/** One line of that table, for line-by-line output; without a server, its header. */
export function printServerLine(server: ShownServer | undefined, nameWidth: number): string {
  const row = server ? rowOf(server) : Object.fromEntries(columns.map((column) => [column, column]))
  const cells = columns.map((column, at) => {
    const width = at === 0 ? Math.max(nameWidth, column.length) : (widths[column] ?? 0)
    return String(row[column]).padEnd(width)
  })
  return `${printable(cells.join('  '))}  ${server ? printable(server.reason) : 'reason'}`.trimEnd()
}

const columns = ['name', 'status', 'latency', 'errors', 'tools', 'last check']
const widths: Readonly<Record<string, number>> = {
  status: 8,
  latency: 9,
  errors: 6,
  tools: 5,
  'last check': 24,
}

function rowOf({ name, status, latencyMs, errors, tools, lastCheck }: ShownServer): Record<string, unknown> {
  return {
    name,
    status,
    latency: latencyMs === null ? '-' : `${latencyMs} ms`,
    errors,
    tools: tools === null ? '-' : tools.length,
    'last check': lastCheck ?? '-',
  }
}
