import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PmlError } from '@pml/core'
import type { AgentName, JsonObject } from '@pml/hooks'
import { agentNames, agentOf, scopes, type HookSettings, type Scope } from '@pml/hooks/agents'
import { openHookFile, type HooksContext, type Place } from './hook-files.ts'

interface InstalledHooks {
  readonly agent: AgentName
  readonly scope: Scope
  readonly state: 'installed' | 'not installed' | 'differs' | 'command missing' | 'unreadable'
  readonly file: string
  /** What to do; empty if nothing. */
  readonly advice: string
}

/** The state of pml's hooks for every agent and scope. */
export async function listHooks(context: HooksContext): Promise<InstalledHooks[]> {
  const places = agentNames.flatMap((agent) => scopes.map((scope) => ({ agent, scope })))
  return Promise.all(places.map((place) => look(context, place)))
}

async function look(context: HooksContext, place: Place): Promise<InstalledHooks> {
  try {
    return { ...place, ...(await stateOf(context, place)) }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    const file = agentOf(place.agent).hooks.settings.files[place.scope].join('/')
    return { ...place, state: 'unreadable', file, advice: error.message }
  }
}

async function stateOf(
  context: HooksContext,
  { agent, scope }: Place,
): Promise<Pick<InstalledHooks, 'state' | 'file' | 'advice'>> {
  const { root, file, hooks: ours, installed, settings } = await openHookFile(context, { agent, scope })
  const install = `pml hooks install --agent ${agent} --scope ${scope}`
  if (ours.length === 0) return { state: 'not installed', file: file.path, advice: '' }
  const missing = await findMissingScript(ours, { root, settings })
  if (missing !== undefined) {
    const advice = `There is no ${missing}: every call is refused; run "${install}"`
    return { state: 'command missing', file: file.path, advice }
  }
  const url = ours.map(({ hook }) => hook['url']).find((one): one is string => typeof one === 'string')
  const isSame = installed(url === undefined ? undefined : { url }) === file.text
  if (isSame) return { state: 'installed', file: file.path, advice: '' }
  const advice = `It differs from what this version writes; run "${install}"`
  return { state: 'differs', file: file.path, advice }
}

async function findMissingScript(
  ours: ReadonlyArray<{ readonly hook: JsonObject }>,
  place: ScriptPlace,
): Promise<string | undefined> {
  for (const { hook } of ours) {
    const script = findScript(hook, place)
    if (script === undefined) continue
    const isThere = await access(script).then(
      () => true,
      () => false,
    )
    if (!isThere) return script
  }
  return undefined
}

interface ScriptPlace {
  readonly root: string
  readonly settings: HookSettings
}

/** The script of one of pml's hooks; undefined if it runs a program from PATH. */
function findScript(
  { command, bash, args }: JsonObject,
  { root, settings: { projectVariable } }: ScriptPlace,
): string | undefined {
  const line = Array.isArray(args) ? args[0] : (bash ?? command)
  if (typeof line !== 'string') return undefined
  const word = Array.isArray(args) ? line : lastWord(line.split(/\s+hook\s+--agent\b/)[0] ?? '')
  const project = projectVariable === undefined ? undefined : new RegExp(`^\\$\\{?${projectVariable}\\}?`)
  const path = project === undefined ? word : word.replace(project, root)
  return path.endsWith('.js') ? resolve(root, path) : undefined
}

/** The last word as `sh` parses it, without expanding variables. */
function lastWord(line: string): string {
  const words = line.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g)
  const [written = ''] = [...words].at(-1) ?? []
  return written.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, one) => single ?? double ?? one)
}
