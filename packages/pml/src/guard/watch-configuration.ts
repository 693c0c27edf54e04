import type { HookEvent, Outcome } from '@pml/hooks'
import { agentOf } from '@pml/hooks/agents'
import { parseSettings, type ConfiguredServer } from '../agents/agent-servers.ts'
import { findLostHook } from './find-lost-hook.ts'
import { judgesOf, readServersFor, type ServerFacts } from './find-refusals.ts'
import { findSettingsText } from '../agents/find-settings-text.ts'
import { readTrustedServers } from './trusted-servers.ts'

const MOST_SENTENCES = 20

/**
 * At the start of a session and when settings change: what the agent is configured with, against what is locked. At the
 * start the agent is told; a change that takes the hook away or brings another server in is kept out.
 */
export async function watchConfiguration(event: HookEvent, facts: ServerFacts): Promise<Outcome> {
  const servers = await readServersFor(event, facts)
  if (event.moment === 'session-start') {
    const text = printAll(await findDifferences(servers, facts))
    return text === ''
      ? { kind: 'pass' }
      : { kind: 'pass', context: `MCP servers that calls will be refused to:\n${text}\n` }
  }
  const isBrought = await broughtBy(event)
  const text = printAll([
    ...(await findLostHook(event, facts)),
    ...(await findDifferences(servers.filter(isBrought), facts)),
  ])
  if (text === '') return { kind: 'pass' }
  return { kind: 'block', text: `BLOCKED::CONFIGURATION_CHANGED\nACTION::tell the person\n\n${text}\n` }
}

async function findDifferences(
  servers: readonly ConfiguredServer[],
  { guarded, place }: ServerFacts,
): Promise<string[]> {
  const sentences = new Set<string>()
  for (const one of judgesOf(guarded)) {
    const trusted = await readTrustedServers(one, place)
    for (const { name, file, launch } of servers) {
      const objection = await trusted.findObjection({ server: name, tool: undefined, launch })
      if (objection) sentences.add(`${file}: ${objection.why}. ${objection.fix}.`)
    }
  }
  return [...sentences]
}

/** A file of servers brings them itself; settings may say which of the project's servers are used. */
async function broughtBy({
  agent,
  changedFile: file,
}: HookEvent): Promise<(server: ConfiguredServer) => boolean> {
  if (file === undefined) return () => true
  const isOn = agentOf(agent).hooks.switchesOn?.(file)
  const text = isOn && findSettingsText(file)
  const settings = text === undefined ? {} : await parseSettings(text, file)
  return (server) => server.file === file || isOn?.(settings, server) === true
}

function printAll(sentences: readonly string[]): string {
  const rest = sentences.length - MOST_SENTENCES
  return [...sentences.slice(0, MOST_SENTENCES), ...(rest > 0 ? [`And ${rest} more.`] : [])].join('\n')
}
