import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'jsonc-parser'
import { isJsonObject, type AgentName, type JsonObject } from '@pml/hooks'

/** Where the settings of an agent may stand that turn hooks off. */
interface Levels {
  readonly root: string
  /** The agent's own folder of this user. */
  readonly user: string
  /** Where an administrator keeps settings for everyone. */
  readonly managed: string
}

/** Settings that keep hooks of ours from running, each as a sentence. `url` is that of an http hook, if there is one. */
export async function findSwitches(
  agent: AgentName,
  { root, user, managed }: Levels,
  url: string | undefined,
): Promise<string[]> {
  if (agent === 'claude') {
    const policies = await readAll([join(managed, 'managed-settings.json'), ...(await listPolicies(managed))])
    const own = ['settings.json', 'settings.local.json'].map((name) => join(root, '.claude', name))
    const settings = await readAll([join(user, 'settings.json'), ...own])
    return [
      ...policies.filter(({ value }) => value['allowManagedHooksOnly'] === true).map(onlyManaged),
      ...[...policies, ...settings].flatMap((one) => [...turnedOff(one), ...httpLimits(one, url)]),
    ]
  }
  if (agent === 'copilot') {
    const own = ['settings.json', 'settings.local.json'].map((name) => join(root, '.github', 'copilot', name))
    const ours = [join(root, '.github', 'hooks', 'pml.json'), join(user, 'hooks', 'pml.json')]
    return (await readAll([...own, ...ours, join(user, 'settings.json')])).flatMap(turnedOff)
  }
  if (agent !== 'gemini') return []
  const files = [join(root, '.gemini', 'settings.json'), join(user, 'settings.json')]
  return (await readAll(files)).flatMap(turnedOffInGemini)
}

interface Setting {
  readonly file: string
  readonly value: JsonObject
}

async function listPolicies(managed: string): Promise<string[]> {
  const folder = join(managed, 'managed-settings.d')
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name))
}

/** What cannot be read turns nothing off that we could see. */
async function readAll(files: readonly string[]): Promise<Setting[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  return files.flatMap((file, index) => {
    const value: unknown = parse(texts[index] ?? '')
    return isJsonObject(value) ? [{ file, value }] : []
  })
}

function onlyManaged({ file }: Setting): string {
  return `${file} has "allowManagedHooksOnly": only hooks of the administrator run`
}

function turnedOff({ file, value }: Setting): string[] {
  return value['disableAllHooks'] === true ? [`${file} has "disableAllHooks": no hook runs`] : []
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
