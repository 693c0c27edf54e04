import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PmlError } from '@pml/core/errors'
import { isJsonObject, type AgentName, type JsonObject } from '@pml/hooks'
import { fileError } from '../../machine/files/file-error.ts'
import { readAgentFile } from '../read-agent-file.ts'

/** Where the settings of an agent may stand that turn hooks off. */
interface Levels {
  readonly root: string
  /** The agent's own folder of this user. */
  readonly user: string
  /** Where an administrator keeps settings for everyone. */
  readonly managed: string
  /** Of an http hook, if there is one. */
  readonly url: string | undefined
}

/** A sentence about a setting that keeps hooks of ours from running. */
export interface SwitchFinding {
  /** Unknown: the settings could not be read. */
  readonly level: 'error' | 'unknown'
  readonly message: string
}

export async function findSwitches(agent: AgentName, levels: Levels): Promise<SwitchFinding[]> {
  const { root, user, managed, url } = levels
  if (agent === 'claude') {
    const policies = await listPolicies(managed).catch(unknown)
    const settings = [join(user, 'settings.json'), ...inClaudeFolder(root)]
    const checks = [turnedOff, (one: Setting) => httpLimits(one, url)]
    return [
      ...('level' in policies ? [policies] : examine(policies, [onlyManaged, ...checks])),
      ...examine(settings, checks),
    ]
  }
  if (agent === 'copilot') {
    const own = ['settings.json', 'settings.local.json'].map((name) => join(root, '.github', 'copilot', name))
    const ours = [join(root, '.github', 'hooks', 'pml.json'), join(user, 'hooks', 'pml.json')]
    // It reads those of Claude Code in a project too.
    return examine([...own, ...inClaudeFolder(root), ...ours, join(user, 'settings.json')], [turnedOff])
  }
  if (agent !== 'gemini') return []
  const system = '/etc/gemini-cli/settings.json'
  const files = [join(root, '.gemini', 'settings.json'), join(user, 'settings.json'), system]
  return examine(files, [turnedOffInGemini])
}

/** Hooks of Claude Code that can answer what an MCP server asks the person, each as a sentence. */
export async function findAnsweringHooks(
  agent: AgentName,
  { root, user, managed }: Omit<Levels, 'url'>,
): Promise<string[]> {
  if (agent !== 'claude') return []
  const policies = await listPolicies(managed).catch(() => [])
  const found = examine([...policies, join(user, 'settings.json'), ...inClaudeFolder(root)], [answering])
  // That settings cannot be read is told with what turns hooks off.
  return found.filter(({ level }) => level === 'error').map(({ message }) => message)
}

interface Setting {
  readonly file: string
  readonly value: JsonObject
}

function inClaudeFolder(root: string): string[] {
  return ['settings.json', 'settings.local.json'].map((name) => join(root, '.claude', name))
}

async function listPolicies(managed: string): Promise<string[]> {
  const folder = join(managed, 'managed-settings.d')
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw fileError('read', folder, error)
  })
  const more = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name))
  return [join(managed, 'managed-settings.json'), ...more]
}

function examine(
  files: readonly string[],
  checks: ReadonlyArray<(setting: Setting) => string[]>,
): SwitchFinding[] {
  return files.flatMap((file): SwitchFinding[] => {
    try {
      const value = readAgentFile(file)
      if (value === undefined) return []
      return checks.flatMap((check) => check({ file, value })).map((message) => ({ level: 'error', message }))
    } catch (error) {
      return [unknown(error)]
    }
  })
}

function unknown(error: unknown): SwitchFinding {
  if (!(error instanceof PmlError)) throw error
  return { level: 'unknown', message: `Nobody knows whether hooks are turned off: ${error.message}` }
}

function onlyManaged({ file, value }: Setting): string[] {
  if (value['allowManagedHooksOnly'] !== true) return []
  return [`${file} has "allowManagedHooksOnly": only hooks of the administrator run`]
}

function turnedOff({ file, value }: Setting): string[] {
  return value['disableAllHooks'] === true ? [`${file} has "disableAllHooks": no hook runs`] : []
}

function answering({ file, value: { hooks } }: Setting): string[] {
  const entries = isJsonObject(hooks) ? hooks['Elicitation'] : undefined
  if (!Array.isArray(entries) || entries.length === 0) return []
  return [`${file} has an "Elicitation" hook: it can answer for the person what pml asks; remove it`]
}

function turnedOffInGemini({ file, value }: Setting): string[] {
  const { hooksConfig } = value
  if (!isJsonObject(hooksConfig)) return []
  if (hooksConfig['enabled'] === false) return [`${file} has "hooksConfig.enabled": false: no hook runs`]
  const { disabled } = hooksConfig
  const isOff = Array.isArray(disabled) && disabled.includes('pml')
  return isOff ? [`${file} has pml in "hooksConfig.disabled"`] : []
}

function httpLimits({ file, value }: Setting, url: string | undefined): string[] {
  if (url === undefined) return []
  const { allowedHttpHookUrls: urls, httpHookAllowedEnvVars: names } = value
  const mayCall = !Array.isArray(urls) || urls.some((pattern) => isMatch(String(pattern), url))
  const maySend = !Array.isArray(names) || names.includes('PML_API_KEY')
  return [
    ...(mayCall ? [] : [`${file} has "allowedHttpHookUrls" without ${url}`]),
    ...(maySend ? [] : [`${file} has "httpHookAllowedEnvVars" without PML_API_KEY`]),
  ]
}

function isMatch(pattern: string, url: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(url)
}
