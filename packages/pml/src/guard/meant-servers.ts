import type { AgentName, McpCall } from '@pml/hooks'
import { agentOf } from '@pml/hooks/agents'
import type { ConfiguredServer } from '../agents/agent-servers.ts'
import type { Launch } from '../agents/launch.ts'
import { plainName } from './print-name.ts'
import type { ServerUse } from './trusted-servers.ts'

/**
 * Every server of the configuration that the call may be of. `mcp__a__b__c` may be of `a` or of `a__b`, a name may stand in
 * two files: nobody says which one the agent took, so none of them may be wrong.
 */
export function meantServers(
  agent: AgentName,
  call: McpCall,
  servers: readonly ConfiguredServer[],
): ServerUse[] {
  const told = call.launch
  if (call.server === '') {
    const fitting = servers.filter(({ launch }) => told && isTold(told, launch))
    const uses = fitting.map(useOf(call.name))
    return orUnknown(call, [...uses, ...uses.flatMap((use) => withAddress(use, told))])
  }
  const named = servers.filter(({ name }) => plainName(name) === plainName(call.server))
  const uses = [
    ...named.map(useOf(call.name)),
    ...servers.flatMap((server) => findByName(agent, call, server)),
  ]
  const isInFiles = told === undefined || named.some(({ launch }) => isTold(told, launch))
  if (!isInFiles && 'command' in told) uses.push({ ...unknownUse(call), launch: otherLaunch })
  return orUnknown(call, [...uses, ...withAddress(unknownUse(call), told)])
}

function findByName(agent: AgentName, { tool }: McpCall, server: ConfiguredServer): ServerUse[] {
  return agentOf(agent).hooks.toolForms.flatMap(([before, after]) => {
    const start = `${before}${plainName(server.name)}${after}`
    return tool.startsWith(start) ? [useOf(tool.slice(start.length))(server)] : []
  })
}

function useOf(tool: string): (server: ConfiguredServer) => ServerUse {
  return ({ name, launch }) => ({ server: name, tool, launch })
}

function orUnknown(call: McpCall, uses: ServerUse[]): ServerUse[] {
  return uses.length === 0 ? [unknownUse(call)] : uses
}

function unknownUse({ server, name }: McpCall): ServerUse {
  return { server, tool: name, launch: undefined }
}

type Told = NonNullable<McpCall['launch']>

/** Agents say it with variables filled in, as one line, and some say the program alone. */
function isTold(told: Told, launch: Launch): boolean {
  const text = 'url' in told ? told.url : told.command
  const written = writtenIn(told, launch)
  return written.some((one) => isFilledIn(text, one))
}

/** Whether the parts between the variables come in their order; in one pass, for anybody may have written them. */
function isFilledIn(text: string, written: string): boolean {
  const [first = '', ...rest] = written.split(/\$\{[^}]*\}/)
  const last = rest.pop()
  if (last === undefined) return text === written
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= text.length - last.length
}

function writtenIn(told: Told, launch: Launch): string[] {
  if ('url' in told) return launch.kind === 'url' ? [launch.url] : []
  return launch.kind === 'command' ? [launch.words.join(' '), launch.words[0] ?? ''] : []
}

/** A line has lost where words end and which variables were set: it cannot be compared by itself. */
const otherLaunch: Launch = {
  kind: 'unclear',
  why: 'the agent says that it started it otherwise than its configuration does',
}

/** An address can be, and is that which variables made of the one in the file. */
function withAddress(use: ServerUse, told: Told | undefined): ServerUse[] {
  return told && 'url' in told ? [{ ...use, launch: { kind: 'url', url: told.url, sets: [] } }] : []
}
