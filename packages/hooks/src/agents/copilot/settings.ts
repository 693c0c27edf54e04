import { join } from 'node:path'
import {
  allTurnedOff,
  bearer,
  TIMEOUT_SECONDS,
  type HookSettings,
  type Switches,
} from '../../description/hook-settings.ts'
import { upwards, type FolderTrust } from '../../description/trust.ts'
import type { JsonObject } from '../../event.ts'
import { projectSettings } from '../claude/settings.ts'

export const settings: HookSettings = {
  files: { project: ['.github', 'hooks', 'pml.json'], user: ['hooks', 'pml.json'] },
  inProject: { sh: '', exec: '' },
  gates: ['preToolUse'],
  after: ['postToolUse'],
  http: { onlyHttps: 'Copilot' },
  wanted: ({ sh, powershell }, { http }) => {
    const command = { type: 'command', bash: sh, powershell, timeoutSec: TIMEOUT_SECONDS }
    const gate = http ? { type: 'http', url: http.url, ...bearer, timeoutSec: TIMEOUT_SECONDS } : command
    return {
      root: { version: 1 },
      entries: new Map<string, JsonObject>([
        ['preToolUse', gate],
        ...(http ? [] : [['postToolUse', command] as const]),
        ['sessionStart', command],
      ]),
    }
  },
  failure: (permissionDecisionReason) => ({ permissionDecision: 'deny', permissionDecisionReason }),
  notes: [
    'Copilot runs hooks of a project once its folder is trusted: start copilot there and trust it for future sessions',
  ],
  skipsProject: 'in a folder that is not trusted, where copilot -p runs tools nevertheless',
}

export const switches: Switches = {
  files: ({ root, user }) => {
    const own = ['settings.json', 'settings.local.json'].map((name) => join(root, '.github', 'copilot', name))
    const ours = [join(root, '.github', 'hooks', 'pml.json'), join(user, 'hooks', 'pml.json')]
    const files = [...own, ...projectSettings(root), ...ours, join(user, 'settings.json')]
    return files.map((path) => ({ path, check: allTurnedOff }))
  },
}

export const trust: FolderTrust = {
  kind: 'folder',
  agent: 'Copilot',
  skips: 'skips the hooks of',
  cure: 'start copilot there and trust the folder for future sessions, or install with --scope user',
  find: ({ root, user, read, realPath }) => {
    const source = join(user, 'config.json')
    const { trustedFolders, trusted_folders: older } = read(source) ?? {}
    const trusted = [trustedFolders, older].flatMap((list) => (Array.isArray(list) ? list.map(String) : []))
    const isTrusted = upwards(root).some((folder) => trusted.some((one) => realPath(one) === folder))
    return { isTrusted, source }
  },
}
