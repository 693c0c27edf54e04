import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { HookEvent, JsonObject } from '@pml/hooks'
import { isOurHook } from '../agents/agent-settings.ts'
import { findSwitches } from '../agents/doctor/find-switches.ts'
import { parseSettings } from '../agents/agent-servers.ts'
import type { ServerFacts } from './find-refusals.ts'
import { findSettingsText } from '../agents/find-settings-text.ts'
import { objectOf } from '../agents/launch.ts'

/** This very hook was started by settings that had it: whether they still do, and still run it, each problem as a sentence. */
export async function findLostHook(
  { agent, cwd }: HookEvent,
  { guarded, place }: ServerFacts,
): Promise<string[]> {
  const roots = [...new Set([cwd, ...place.folders, ...guarded.map(({ root }) => root)])]
  const user = place.env['CLAUDE_CONFIG_DIR'] || join(place.home, '.claude')
  const { managed } = place
  const files = [
    ...[user, ...roots.map((root) => join(root, '.claude'))].flatMap((folder) =>
      ['settings.json', 'settings.local.json'].map((name) => join(folder, name)),
    ),
    join(managed, 'managed-settings.json'),
    ...listFiles(join(managed, 'managed-settings.d')),
  ]
  const switches = await Promise.all(
    roots.map((root) => findSwitches(agent, { root, user, managed, url: undefined })),
  )
  const isThere = (await Promise.all(files.map(hasGate))).includes(true)
  return [
    ...(isThere ? [] : ['The settings no longer have the hook of pml; "pml hooks install" puts it back.']),
    ...[...new Set(switches.flat().map(({ message }) => message))].map((sentence) => `${sentence}.`),
  ]
}

function listFiles(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}

/** Before every tool: a hook for some tools only lets the others through. */
async function hasGate(file: string): Promise<boolean> {
  const text = findSettingsText(file)
  if (text === undefined) return false
  const { PreToolUse: entries } = objectOf((await parseSettings(text, file))['hooks'])
  return listOf(entries).some(
    ({ matcher, hooks }) =>
      [undefined, '', '*', '.*'].includes(matcher as string) && listOf(hooks).some(isOurHook('claude')),
  )
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}
