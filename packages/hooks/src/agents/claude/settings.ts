import { join } from 'node:path'
import { PmlError } from '@pml/core/errors'
import {
  allTurnedOff,
  API_KEY,
  bearer,
  TIMEOUT_SECONDS,
  type HookSettings,
  type Setting,
  type SwitchFile,
  type Switches,
} from '../../description/hook-settings.ts'
import { upwards, type FolderTrust } from '../../description/trust.ts'
import { isJsonObject, type JsonObject } from '../../event.ts'

const after = ['PostToolUse', 'PostToolUseFailure']

/** Tools that change no file or only the one they name. There is nothing to check after them. */
const seenThrough =
  'Read|Glob|Grep|LS|Write|Edit|MultiEdit|NotebookEdit|TodoWrite|WebSearch|WebFetch|Task|Agent|AskUserQuestion|ToolSearch'

export const settings: HookSettings = {
  files: { project: ['.claude', 'settings.json'], user: ['settings.json'] },
  inProject: { sh: '"$CLAUDE_PROJECT_DIR"/', exec: '${CLAUDE_PROJECT_DIR}/' },
  projectVariable: 'CLAUDE_PROJECT_DIR',
  gates: ['PreToolUse'],
  after,
  http: {},
  wanted: ({ sh, program, args }, { isWindows, http }) => {
    const closed = { timeout: TIMEOUT_SECONDS, onFailure: 'block' }
    const start = isWindows ? { command: program, args } : { command: sh }
    const command = { type: 'command', ...start, ...closed }
    const gate = http ? { type: 'http', url: http.url, ...bearer, ...closed } : command
    const afterCalls = { matcher: `^(?!(?:${seenThrough})$)`, hooks: [command] }
    return {
      root: {},
      entries: new Map<string, JsonObject>([
        ['PreToolUse', { matcher: '*', hooks: [gate] }],
        // A registry cannot see the files.
        ...(http ? [] : after.map((event) => [event, afterCalls] as const)),
        // SessionStart has no HTTP hooks.
        ['SessionStart', { hooks: [command] }],
        ['ConfigChange', { hooks: [gate] }],
      ]),
    }
  },
  notes: ['Claude Code runs hooks of a project once its folder is trusted: start claude there and trust it'],
  skipsProject: 'where it is started in a folder below',
  isRootOnly: true,
}

/** The files of a project that Claude Code takes settings from; other agents read them too. */
export function projectSettings(root: string): string[] {
  return ['settings.json', 'settings.local.json'].map((name) => join(root, '.claude', name))
}

export const switches: Switches = {
  files: ({ root, user, managed }) => {
    const plain: SwitchFile['check'] = (setting, url) => [
      ...allTurnedOff(setting),
      ...httpLimits(setting, url),
    ]
    const check: SwitchFile['check'] = (setting, url) => [...onlyManaged(setting), ...plain(setting, url)]
    return [
      { path: join(managed, 'managed-settings.json'), check },
      { path: join(managed, 'managed-settings.d'), isFolder: true, check },
      ...[join(user, 'settings.json'), ...projectSettings(root)].map((path) => ({ path, check: plain })),
    ]
  },
  answering: ({ file, value: { hooks } }) => {
    const entries = isJsonObject(hooks) ? hooks['Elicitation'] : undefined
    if (!Array.isArray(entries) || entries.length === 0) return []
    return [`${file} has an "Elicitation" hook: it can answer for the person what pml asks; remove it`]
  },
}

function onlyManaged({ file, value }: Setting): string[] {
  if (value['allowManagedHooksOnly'] !== true) return []
  return [`${file} has "allowManagedHooksOnly": only hooks of the administrator run`]
}

function httpLimits({ file, value }: Setting, url: string | undefined): string[] {
  if (url === undefined) return []
  const { allowedHttpHookUrls: urls, httpHookAllowedEnvVars: names } = value
  const mayCall = !Array.isArray(urls) || urls.some((pattern) => isMatch(String(pattern), url))
  const maySend = !Array.isArray(names) || names.includes(API_KEY)
  return [
    ...(mayCall ? [] : [`${file} has "allowedHttpHookUrls" without ${url}`]),
    ...(maySend ? [] : [`${file} has "httpHookAllowedEnvVars" without ${API_KEY}`]),
  ]
}

function isMatch(pattern: string, url: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(url)
}

export const trust: FolderTrust = {
  kind: 'folder',
  agent: 'Claude Code',
  skips: 'skips the hooks of',
  cure: 'start claude there once and trust the folder',
  find: ({ root, home, read }) => {
    const source = join(home, '.claude.json')
    const value = read(source)
    if (!value) throw new PmlError('not_found', `there is no ${source}; ${trust.cure}`)
    return { isTrusted: isTrusted(value, root), source }
  },
}

function isTrusted({ projects }: JsonObject, root: string): boolean {
  return upwards(root).some((folder) => {
    const project = isJsonObject(projects) ? projects[folder] : undefined
    return isJsonObject(project) && project['hasTrustDialogAccepted'] === true
  })
}
