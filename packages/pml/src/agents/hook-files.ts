import { PmlError } from '@pml/core'
import type { AgentName } from '@pml/hooks'
import {
  agentOf,
  hookedAgents,
  isOurHook,
  type HookSettings,
  type HttpHook,
  type Scope,
  type SettingsProgram,
  type WantedHooks,
} from '@pml/hooks/agents'
import { homeOf } from '../machine/ops.ts'
import { parseSettings } from '../machine/settings.ts'
import { projectFolderOf, type ProjectContext } from '../workspace/workspace-files.ts'
import { settingsFileOf } from './agent-folder.ts'
import { listOurs, withHooks, withoutHooks, type Editing, type ListedHook } from './edit-hooks.ts'
import { hookLineFor } from './hook-line.ts'
import { readSettingsFile, type SettingsFile } from './settings-file.ts'

export type HooksContext = ProjectContext

export interface Place {
  readonly agent: AgentName
  readonly scope: Scope
}

/** The settings of one agent in one scope, before and after changes. */
export interface HookFile {
  readonly agent: AgentName
  readonly settings: HookSettings
  readonly root: string
  readonly file: SettingsFile
  /** Whether its script exists only on this machine. */
  readonly isOfThisMachine: boolean
  installed(http: HttpHook | undefined): string
  /** The hooks that it should have. */
  wanted(http: HttpHook | undefined): WantedHooks
  /** The hooks of any version of pml in it. */
  readonly hooks: readonly ListedHook[]
  /** The text without pml's hooks; undefined if nothing is left. */
  uninstalled(): string | undefined
}

export async function openHookFile(context: HooksContext, { agent, scope }: Place): Promise<HookFile> {
  const { ops } = context
  const described = agentOf(agent)
  const { settings } = described.hooks
  const root = await projectFolderOf(context)
  const home = homeOf(ops.env)
  const file = await readSettingsFile(settingsFileOf(described, scope, { root, home, env: ops.env }))
  const line = await hookLineFor(ops, { agent, scope, root, settings })
  const editing = { file: file.path, isOurs: isOurHook(agent) }
  const isWindows = ops.platform === 'win32'
  const wanted = (http: HttpHook | undefined) => settings.wanted(line, { isWindows, http })
  const edits = settings.program ? inProgram(settings.program, file, editing) : inSettings(file, editing)
  return {
    agent,
    settings,
    root,
    file,
    isOfThisMachine: line.isOfThisMachine,
    wanted,
    hooks: edits.hooks,
    installed: (http) => edits.installed(wanted(http)),
    uninstalled: () => edits.uninstalled(wanted(undefined)),
  }
}

interface Edits {
  readonly hooks: readonly ListedHook[]
  installed(wanted: WantedHooks): string
  uninstalled(wanted: WantedHooks): string | undefined
}

/** Hooks among other settings, which stay as they are. */
function inSettings({ text }: SettingsFile, editing: Editing): Edits {
  return {
    hooks: listOurs(text, editing),
    installed: (wanted) => withHooks(text, wanted, editing),
    uninstalled: ({ root }) => withoutHooks(text, root, editing),
  }
}

/** A program that is pml's own, and is written and removed as a whole. */
function inProgram({ print, read }: SettingsProgram, { path, text }: SettingsFile, editing: Editing): Edits {
  const found = read(text)
  const isOfOthers = text.trim() !== '' && found === undefined
  return {
    hooks: found === undefined ? [] : listOurs(found, editing),
    installed: (wanted) => {
      if (!isOfOthers) return print(withHooks('', wanted, editing))
      throw new PmlError(
        'invalid_config',
        `Cannot write ${path}: pml did not write what is in it; move it away`,
      )
    },
    uninstalled: () => (isOfOthers ? text : undefined),
  }
}

/** The address for an agent's http hook. The agent sends the key there, so the owner must have set it explicitly. */
export function httpHookFor({ ops }: HooksContext, agent: AgentName): HttpHook {
  const refuse = (why: string) =>
    new PmlError('invalid_arguments', `Cannot install an http hook for ${agent}: ${why}`)
  const { http } = agentOf(agent).hooks.settings
  if (http === undefined) throw refuse(`expected ${httpAgents().join(' or ')}; leave out --http`)
  const { registry } = parseSettings(ops.env)
  if (registry === undefined) throw refuse('expected PML_REGISTRY_URL to name the registry; set it')
  if (http.onlyHttps !== undefined && registry.protocol !== 'https:') {
    throw refuse(`expected a registry with https, which ${http.onlyHttps} insists on, got ${registry.origin}`)
  }
  return { url: new URL(`hooks/${agent}`, registry).href }
}

/** Agents that have hooks over http. */
export function httpAgents(): AgentName[] {
  return hookedAgents.filter(({ hooks }) => hooks.settings.http !== undefined).map(({ name }) => name)
}
