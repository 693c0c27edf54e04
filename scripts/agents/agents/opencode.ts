import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { platformPackage } from '../install.ts'
import { headless } from '../../../packages/hooks/src/agents/opencode/headless.ts'
import { changeJson, NOBODY } from '../place.ts'
import type { Agent } from './agent.ts'

export const opencode: Agent = {
  name: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  limits: {
    dialog: 'it does not announce one to MCP servers',
    'folder trust in files': 'it loads the plugins of every folder',
  },
  hookFile: '.config/opencode/plugins/pml.js',
  blockedBy: () => '',
  asked: 'pml continue',
  prepare: ({ home }) =>
    changeJson(settingsIn(home), (settings) => ({ ...settings, autoupdate: false, share: 'disabled' })),
  trustHooks: async () => {},
  addServer: ({ home }, { name, command }) =>
    changeJson(settingsIn(home), (settings) => {
      const servers = settings['mcp'] as object | undefined
      return { ...settings, mcp: { ...servers, [name]: { type: 'local', command, enabled: true } } }
    }),
  headless,
  program: (installed) => platformPackage(installed, 'opencode-', join('bin', 'opencode')),
  flags: () => [],
  env: {},
  useOwnModel: ({ home }) =>
    changeJson(settingsIn(home), (settings) => ({
      ...settings,
      provider: { scripted: { options: { baseURL: NOBODY, apiKey: 's3cr3t' } } },
    })),
  // An invalid plugin is ignored.
  skipHooks: ({ home }) => appendFile(join(home, '.config', 'opencode', 'plugins', 'pml.js'), ')\n'),
}

function settingsIn(home: string): string {
  return join(home, '.config', 'opencode', 'opencode.json')
}
