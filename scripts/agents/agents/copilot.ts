import { join } from 'node:path'
import { headless } from '../../../packages/hooks/src/agents/copilot/headless.ts'
import { changeJson } from '../place.ts'
import type { Agent } from './agent.ts'

export const copilot: Agent = {
  name: 'copilot',
  title: 'Copilot CLI',
  package: '@github/copilot',
  version: '1.0.102',
  limits: { dialog: '`copilot -p` announces one and declines it by itself' },
  hookFile: '.copilot/hooks/pml.json',
  blockedBy: () => 'Denied by preToolUse hook: ',
  asked: 'pml continue',
  prepare: async () => {},
  trustHooks: async () => {},
  folderTrust: {
    trust: ({ home, project }) =>
      changeJson(join(home, '.copilot', 'config.json'), (config) => ({
        ...config,
        trustedFolders: [project],
      })),
    untrusted: {
      project: { trust: 'error', live: 'error: the agent made the call without running the hook' },
      user: { trust: undefined, live: 'ok: the hook ran' },
    },
  },
  addServer: ({ home }, { name, command: [command, ...args] }) =>
    changeJson(join(home, '.copilot', 'mcp-config.json'), (settings) => {
      const servers = settings['mcpServers'] as object | undefined
      const entry = { type: 'local', command, args, tools: ['*'] }
      return { ...settings, mcpServers: { ...servers, [name]: entry } }
    }),
  headless,
  program: (installed) => join(installed, 'node_modules', '.bin', 'copilot'),
  flags: () => ['--trust-folder'],
  env: {},
  skipHooks: ({ home }) =>
    changeJson(join(home, '.copilot', 'hooks', 'pml.json'), (hooks) => ({ ...hooks, disableAllHooks: true })),
}
