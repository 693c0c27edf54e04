import { join } from 'node:path'
import type { Agent } from '../../description/agent.ts'
import { inFolder, inProject, type GatewaySettings } from '../../description/mcp-settings.ts'

const gateway: GatewaySettings = {
  files: {
    project: inProject('.vscode', 'mcp.json'),
    user: (where) => {
      const path = ['Code', 'User', 'mcp.json']
      if (where.platform === 'win32') return inFolder('APPDATA', join('AppData', 'Roaming'), ...path)(where)
      if (where.platform === 'darwin')
        return inFolder(undefined, join('Library', 'Application Support'), ...path)(where)
      return inFolder('XDG_CONFIG_HOME', '.config', ...path)(where)
    },
  },
  format: 'json',
  key: 'servers',
  entry: ({ command, args }) => ({ type: 'stdio', command, args: [...args] }),
  inProject: '${workspaceFolder}/',
  note: 'VS Code asks whether a new server is trusted when it is first started',
}

/** Visual Studio Code as an MCP client. People work in its terminal, so its processes do not identify an agent. */
export const vscode: Agent<'vscode'> = {
  name: 'vscode',
  title: 'VS Code',
  hooks: { none: 'pml knows no hook of VS Code that blocks a call' },
  gateway,
  guarded: ['**/.vscode/mcp.json'],
  projectReferences: ['${workspaceFolder}'],
}
