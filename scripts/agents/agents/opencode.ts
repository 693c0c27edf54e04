import { join } from 'node:path'
import { platformPackage } from '../install.ts'
import { headless } from '../../../packages/hooks/src/agents/opencode/headless.ts'
import { changeJson } from '../place.ts'
import type { Agent } from './agent.ts'

const noHook = 'its only gate is a plugin in its own process (`tool.execute.before`), and pml has none for it'

export const opencode: Agent = {
  name: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  limits: { hooks: noHook, dialog: 'it does not announce one to MCP servers' },
  hookFile: '',
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
}

function settingsIn(home: string): string {
  return join(home, '.config', 'opencode', 'opencode.json')
}
