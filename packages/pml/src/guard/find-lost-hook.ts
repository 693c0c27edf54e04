import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { HookEvent, JsonObject } from '@pml/hooks'
import { agentOf, isOurHook, objectOf, type HookedAgent, type SwitchFile } from '@pml/hooks/agents'
import { agentFolderOf } from '../agents/agent-folder.ts'
import { findSwitches } from '../agents/doctor/find-switches.ts'
import { parseSettings } from '../agents/agent-servers.ts'
import type { ServerFacts } from './find-refusals.ts'
import { findSettingsText } from '../agents/find-settings-text.ts'

/** This very hook was started by settings that had it: whether they still do, and still run it, each problem as a sentence. */
export async function findLostHook(
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

/** Before every tool: a hook for some tools only lets the others through. */
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
