import { dirname, join } from 'node:path'
import {
  lineOf,
  TIMEOUT_SECONDS,
  type HookSettings,
  type Setting,
  type Switches,
} from '../../description/hook-settings.ts'
import { upwards, type FolderTrust, type TrustWorld } from '../../description/trust.ts'
import { isJsonObject, type JsonObject } from '../../event.ts'

export const settings: HookSettings = {
  files: { project: ['.gemini', 'settings.json'], user: ['settings.json'] },
  inProject: { sh: '"$GEMINI_PROJECT_DIR"/', exec: '' },
  projectVariable: 'GEMINI_PROJECT_DIR',
  gates: ['BeforeTool'],
  after: ['AfterTool'],
  wanted: (line, { isWindows }) => {
    const hook = {
      name: 'pml',
      type: 'command',
      command: lineOf(line, isWindows),
      timeout: TIMEOUT_SECONDS * 1000,
    }
    return {
      root: {},
      entries: new Map<string, JsonObject>([
        ['BeforeTool', { matcher: '.*', hooks: [hook] }],
        ['AfterTool', { matcher: '.*', hooks: [hook] }],
        ['SessionStart', { hooks: [hook] }],
      ]),
    }
  },
  notes: [
    'Gemini CLI runs no hook in a folder that is not trusted, not even those of the user: start gemini there and trust it',
  ],
  skipsProject: 'where it is started in a folder below',
  isRootOnly: true,
}

export const switches: Switches = {
  files: ({ root, user }) =>
    [
      join(root, '.gemini', 'settings.json'),
      join(user, 'settings.json'),
      '/etc/gemini-cli/settings.json',
    ].map((path) => ({ path, check: turnedOff })),
}

function turnedOff({ file, value }: Setting): string[] {
  const { hooksConfig } = value
  if (!isJsonObject(hooksConfig)) return []
  if (hooksConfig['enabled'] === false) return [`${file} has "hooksConfig.enabled": false: no hook runs`]
  const { disabled } = hooksConfig
  const isOff = Array.isArray(disabled) && disabled.includes('pml')
  return isOff ? [`${file} has pml in "hooksConfig.disabled"`] : []
}

export const trust: FolderTrust = {
  kind: 'folder',
  agent: 'Gemini CLI',
  skips: 'runs no hook in',
  cure: 'start gemini there and trust the folder',
  stopsUser: true,
  find: ({ env, root, user, read, realPath }) => {
    if (env['GEMINI_RESTRICTED_MODE'] === 'true')
      return { isTrusted: false, source: 'GEMINI_RESTRICTED_MODE' }
    const said = env['GEMINI_CLI_TRUST_WORKSPACE']
    if (said === 'true' || said === 'false')
      return { isTrusted: said === 'true', source: 'GEMINI_CLI_TRUST_WORKSPACE' }
    const security = read(join(user, 'settings.json'))?.['security']
    const folderTrust = isJsonObject(security) ? security['folderTrust'] : undefined
    if (isJsonObject(folderTrust) && folderTrust['enabled'] === false)
      return { isTrusted: true, source: 'security.folderTrust.enabled is false' }
    const source = env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] || join(user, 'trustedFolders.json')
    return { isTrusted: isTrusted(read(source) ?? {}, { root, realPath }), source }
  },
}

/** Applies the longest rule that matches the folder. */
function isTrusted(rules: JsonObject, { root, realPath }: Pick<TrustWorld, 'root' | 'realPath'>): boolean {
  const above = new Set(upwards(root))
  const [, level] = Object.entries(rules)
    .filter(([path, level]) => above.has(realPath(level === 'TRUST_PARENT' ? dirname(path) : path)))
    .reduce((longest, rule) => (rule[0].length > longest[0].length ? rule : longest), ['', undefined] as [
      string,
      unknown,
    ])
  return level === 'TRUST_FOLDER' || level === 'TRUST_PARENT'
}
