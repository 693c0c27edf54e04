import { join } from 'node:path'
import { headless } from '../../../packages/hooks/src/agents/gemini/headless.ts'
import { changeJson, putFile } from '../place.ts'
import type { Agent } from './agent.ts'

const NO_CALL = 'unknown: could not be tried: gemini did not make the call (exit 55)'

export const gemini: Agent = {
  name: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  version: '0.61.0',
  limits: { dialog: 'it does not announce one to MCP servers' },
  hookFile: '.gemini/settings.json',
  blockedBy: () => 'Tool execution blocked: ',
  asked: 'pml continue',
  prepare: async ({ home }) => {
    await changeJson(settingsIn(home), (settings) => ({
      ...settings,
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
    }))
  },
  trustHooks: async () => {},
  folderTrust: {
    trust: ({ home, project }) =>
      putFile(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify({ [project]: 'TRUST_FOLDER' })),
    // In an untrusted folder it makes no call without a person.
    untrusted: { project: { trust: 'error', live: NO_CALL }, user: { trust: 'error', live: NO_CALL } },
  },
  addServer: ({ home }, { name, command: [command, ...args] }) =>
    changeJson(settingsIn(home), (settings) => {
      const servers = settings['mcpServers'] as object | undefined
      return { ...settings, mcpServers: { ...servers, [name]: { command, args } } }
    }),
  headless,
  program: (installed) => join(installed, 'node_modules', '.bin', 'gemini'),
  flags: (isYolo) =>
    isYolo ? [] : ['--allowed-tools', 'run_shell_command', '--allowed-mcp-server-names', 'pml,stray'],
  env: {},
  useOwnModel: ({ home }) =>
    changeJson(settingsIn(home), (settings) => ({
      ...settings,
      security: { auth: { selectedType: 'oauth-personal' } },
    })),
  skipHooks: ({ home }) =>
    changeJson(settingsIn(home), (settings) => ({ ...settings, hooksConfig: { enabled: false } })),
}

function settingsIn(home: string): string {
  return join(home, '.gemini', 'settings.json')
}
