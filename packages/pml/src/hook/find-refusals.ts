import type { Finding, Guarded, HookEvent, McpCall } from '@pml/hooks'
import { readAgentServers, type ConfiguredServer, type Launch } from './agent-servers.ts'
import type { HookPlace } from './run-hook.ts'
import { readTrustedServers, type Objection } from './trusted-servers.ts'

export interface ServerFacts {
  readonly guarded: readonly Guarded[]
  readonly place: HookPlace
}

/** What the lockfiles have against this call of an MCP server. */
export async function findRefusals(event: HookEvent, { guarded, place }: ServerFacts): Promise<Finding[]> {
  const { call } = event
  if (call?.kind !== 'mcp') return []
  const findings: Finding[] = []
  for (const one of guarded) {
    const servers = await readAgentServers(event.agent, { root: one.root, home: place.home })
    const trusted = await readTrustedServers(one, place)
    for (const launch of launchesOf(call, servers)) {
      const objection = await trusted.findObjection(call.server, call.name, launch)
      if (objection) findings.push(findingFor(call, objection))
    }
  }
  return findings.slice(0, 1)
}

/** All that go by the name, since nobody says which one the agent took. */
function launchesOf(
  { server, launch }: McpCall,
  servers: readonly ConfiguredServer[],
): (Launch | undefined)[] {
  const told: Launch[] = launch ? [toldLaunch(launch)] : []
  const found = servers.filter(({ name }) => plain(name) === plain(server)).map((one) => one.launch)
  const all = [...told, ...found]
  return all.length === 0 ? [undefined] : all
}

function toldLaunch(launch: NonNullable<McpCall['launch']>): Launch {
  if ('url' in launch) return { kind: 'url', url: launch.url }
  return { kind: 'command', words: launch.command.trim().split(/\s+/), env: [] }
}

/** Agents make one word of a name. */
function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
}

function findingFor({ tool, server }: McpCall, { rule, why, fix }: Objection): Finding {
  return {
    rule,
    subject: server,
    reason: `Cannot call ${tool}: ${why}`,
    suggestion: `${fix}.`,
    action: `tell the person: ${why}`,
    isCorrection: false,
    effect: { kind: 'block' },
  }
}
