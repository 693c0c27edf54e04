import type { McpCall } from '@pml/hooks'
import { agentOf } from '@pml/hooks/agents'
import type { ConfiguredServer } from '../agents/agent-servers.ts'
import type { Launch } from '../agents/launch.ts'
import { plainName } from './print-name.ts'
import type { ServerUse } from './trusted-servers.ts'

/**
 * All configured servers that the call may belong to. `mcp__a__b__c` may belong to `a` or `a__b`, and a name may be in two
 * files. The agent does not say which one it used, so all of them must be acceptable.
 */
export function meantServers(
  agent: string,
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

function findByName(agent: string, { tool }: McpCall, server: ConfiguredServer): ServerUse[] {
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

/** Whether the agent's description fits a launch: variables are filled in, on one line, sometimes only the program. */
function isTold(told: Told, launch: Launch): boolean {
  const text = 'url' in told ? told.url : told.command
  const written = writtenIn(told, launch)
  return written.some((one) => isFilledIn(text, one))
}

/** Whether the parts between the variables occur in order. One pass, because the text is untrusted. */
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

/** A command line as one text has lost word boundaries and variables, so it cannot be compared. */
const otherLaunch: Launch = {
  kind: 'unclear',
  why: 'the agent reports another command than its configuration',
}

/** An address can be compared: it is the configured one with variables filled in. */
function withAddress(use: ServerUse, told: Told | undefined): ServerUse[] {
  return told && 'url' in told ? [{ ...use, launch: { kind: 'url', url: told.url, sets: [] } }] : []
}
