import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { HookEvent, JsonObject, Outcome } from '@pml/hooks'
import { agentOf, isOurHook, objectOf, type HookedAgent, type SwitchFile } from '@pml/hooks/agents'
import { parseSettings, type ConfiguredServer } from '../agents/agent-servers.ts'
import { judgesOf, readServersFor, type ServerFacts } from './find-refusals.ts'
import { findSettingsText } from '../agents/find-settings-text.ts'
import { readTrustedServers } from './trusted-servers.ts'
import { agentFolderOf } from '../agents/agent-folder.ts'
import { findSwitches } from '../agents/doctor/find-switches.ts'

const MOST_SENTENCES = 20

/**
 * Compares the agent's configuration with the lockfile at the start of a session and when settings change. At the start
 * the agent is informed; a change that removes the hook or adds a different server is blocked.
 */
export async function watchConfiguration(event: HookEvent, facts: ServerFacts): Promise<Outcome> {
  const servers = await readServersFor(event, facts)
  if (event.moment === 'session-start') {
    const text = printAll(await findDifferences(servers, facts))
    return text === ''
      ? { kind: 'pass' }
      : { kind: 'pass', context: `Calls of these MCP servers will be refused:\n${text}\n` }
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

/** Which servers a changed file adds: those in it, or for settings the project servers that they enable. */
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

/** Checks whether the settings still contain this hook and still run it; each problem as a sentence. */
async function findLostHook(
  { agent: name, cwd }: HookEvent,
  { guarded, place }: ServerFacts,
): Promise<string[]> {
  const agent = agentOf(name)
  const { managed } = place
  const user = agentFolderOf(agent, place).folder
  const roots = [...new Set([cwd, ...place.folders, ...guarded.map(({ root }) => root)])]
  const levels = roots.map((root) => ({ root, user, managed, url: undefined }))
  const files = levels.flatMap((level) => agent.hooks.switches?.files(level) ?? []).flatMap(pathsOf)
  const switches = await Promise.all(levels.map((level) => findSwitches(agent, level)))
  const isThere = (await Promise.all([...new Set(files)].map((file) => hasGate(agent, file)))).includes(true)
  return [
    ...(isThere ? [] : ['The settings no longer have the hook of pml; "pml hooks install" puts it back.']),
    ...[...new Set(switches.flat().map(({ message }) => message))].map((sentence) => `${sentence}.`),
  ]
}

function pathsOf({ path, isFolder }: SwitchFile): string[] {
  if (!isFolder) return [path]
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : []
}

/** Whether the settings have a hook for all tools: one for some tools would let the others through. */
async function hasGate({ name, hooks: { settings } }: HookedAgent, file: string): Promise<boolean> {
  const text = findSettingsText(file)
  if (text === undefined) return false
  const hooks = objectOf((await parseSettings(text, file))['hooks'])
  return listOf(hooks[settings.gates[0] ?? '']).some(
    ({ matcher, hooks }) =>
      [undefined, '', '*', '.*'].includes(matcher as string) && listOf(hooks).some(isOurHook(name)),
  )
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}
