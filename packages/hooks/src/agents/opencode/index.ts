import type { Agent } from '../../description/agent.ts'
import { inFolder, inProject } from '../../description/mcp-settings.ts'
import { headless } from './headless.ts'

/** opencode: https://opencode.ai/docs */
export const opencode: Agent<'opencode'> = {
  name: 'opencode',
  title: 'opencode',
  // A plugin may throw in `tool.execute.before`: https://opencode.ai/docs/plugins
  hooks: {
    none: 'its only gate is a plugin in its own process (tool.execute.before), which opencode leaves out when it cannot be loaded, so it cannot fail closed',
  },
  gateway: {
    files: {
      project: inProject('opencode.json'),
      user: inFolder('XDG_CONFIG_HOME', '.config', 'opencode', 'opencode.json'),
    },
    format: 'json',
    key: 'mcp',
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    inProject: undefined,
    note: 'opencode reads its settings when it starts: start it again',
  },
  home: { path: ['.config', 'opencode'] },
  guarded: ['**/opencode.{json,jsonc}'],
  process: {
    programs: ['opencode', 'opencode-ai'],
    packages: ['opencode-ai'],
    variables: ['OPENCODE', 'OPENCODE_'],
    settings: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR'],
  },
  headless,
}
