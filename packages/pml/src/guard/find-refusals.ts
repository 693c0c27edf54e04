import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding, Guarded, HookEvent, McpCall } from '@pml/hooks'
import { workspaceFilesOf } from '../workspace/workspace-files.ts'
import { readAgentServers, type ConfiguredServer } from '../agents/agent-servers.ts'
import { localWorld } from './world/local-world.ts'
import { meantServers } from './meant-servers.ts'
import { printName } from './print-name.ts'
import type { HookPlace } from './world/hook-place.ts'
import { readTrustedServers, type Objection } from './trusted-servers.ts'

export interface ServerFacts {
  readonly guarded: readonly Guarded[]
  readonly place: HookPlace
}

/** Findings of the lockfiles against this call of an MCP server. */
export async function findRefusals(event: HookEvent, facts: ServerFacts): Promise<Finding[]> {
  const { call, agent } = event
  if (call?.kind !== 'mcp') return []
  const uses = meantServers(agent, call, await readServersFor(event, facts))
  const findings = new Map<string, Finding>()
  for (const one of judgesOf(facts.guarded)) {
    const trusted = await readTrustedServers(one, facts.place)
    for (const use of uses) {
      const objection = await trusted.findObjection(use)
      if (objection) findings.set(objection.why, findingFor(call, objection))
    }
  }
  return [...findings.values()]
}

export function readServersFor(
  { agent, cwd }: HookEvent,
  { place }: ServerFacts,
): Promise<ConfiguredServer[]> {
  const { home, env, managed } = place
  const { realPath } = localWorld(home)
  const folders = [cwd, ...place.folders].flatMap((folder) => [folder, realPath(folder)])
  return readAgentServers(agent, { folders, home, env, managed })
}

/** The folders whose rules apply: those that are workspaces, or all of them with the built-in policy if there is none. */
export function judgesOf(guarded: readonly Guarded[]): readonly Guarded[] {
  const own = guarded.filter(({ root }) => {
    const { config, lock, state } = workspaceFilesOf(root)
    return [config, lock, join(state, 'enforcement.json')].some((file) => existsSync(file))
  })
  return own.length > 0 ? own : guarded
}

function findingFor({ tool, server }: McpCall, { rule, why, fix }: Objection): Finding {
  return {
    rule,
    subject: server,
    reason: `Cannot call ${printName(tool)}: ${why}`,
    suggestion: `${fix}.`,
    action: `tell the person: ${why}`,
    isCorrection: false,
    effect: { kind: 'block' },
  }
}
