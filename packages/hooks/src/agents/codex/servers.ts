import type { AgentHooks } from '../../description/agent.ts'
import {
  inFolder,
  inProject,
  movedBy,
  serversAt,
  type GatewaySettings,
} from '../../description/mcp-settings.ts'

export const serverFiles: AgentHooks['serverFiles'] = (folders, { home, env }) => [
  ...[home, ...folders].map((folder) => serversAt('mcp_servers', folder, '.codex', 'config.toml')),
  ...movedBy(env, 'CODEX_HOME').map((folder) => serversAt('mcp_servers', folder, 'config.toml')),
]

export const gateway: GatewaySettings = {
  files: {
    project: inProject('.codex', 'config.toml'),
    user: inFolder('CODEX_HOME', '.codex', 'config.toml'),
  },
  format: 'toml',
  key: 'mcp_servers',
  entry: ({ command, args }) => ({ command, args: [...args] }),
  // Without it Codex starts a turn before the gateway has listed its tools.
  whenNew: { required: true },
  inProject: undefined,
  note: 'Codex reads the settings of a project once its folder is trusted: start it again',
}
