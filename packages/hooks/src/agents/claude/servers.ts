import { basename, join } from 'node:path'
import type { AgentHooks } from '../../description/agent.ts'
import {
  inHome,
  inProject,
  movedBy,
  objectOf,
  serversAt,
  type GatewaySettings,
  type ServerFile,
} from '../../description/mcp-settings.ts'

export const serverFiles: AgentHooks['serverFiles'] = (folders, { home, env, managed }) => [
  ...folders.map((folder) => serversAt('mcpServers', folder, '.mcp.json')),
  ...[home, ...movedBy(env, 'CLAUDE_CONFIG_DIR')].map((folder) => ({
    path: join(folder, '.claude.json'),
    servers: serversOfProjects(folders),
  })),
  serversAt('mcpServers', managed, 'managed-mcp.json'),
]

/** Servers for all folders and for each folder. Folder names have forward slashes on Windows too. */
function serversOfProjects(folders: readonly string[]): ServerFile['servers'] {
  return ({ mcpServers, projects }) => [
    mcpServers,
    ...folders
      .flatMap((folder) => [folder, folder.replaceAll('\\', '/')])
      .map((folder) => objectOf(objectOf(projects)[folder])['mcpServers']),
  ]
}

export const switchesOn: AgentHooks['switchesOn'] = (file) => {
  if (!/^settings(?:\.local)?\.json$/.test(basename(file))) return undefined
  return ({ enabledMcpjsonServers: names, enableAllProjectMcpServers: isAll }, server) => {
    const enabled: readonly unknown[] = Array.isArray(names) ? names : []
    return basename(server.file) === '.mcp.json' && (isAll === true || enabled.includes(server.name))
  }
}

export const gateway: GatewaySettings = {
  files: { project: inProject('.mcp.json'), user: inHome('CLAUDE_CONFIG_DIR', '.claude.json') },
  format: 'json',
  key: 'mcpServers',
  entry: ({ command, args }) => ({ type: 'stdio', command, args: [...args] }),
  inProject: '${CLAUDE_PROJECT_DIR:-.}/',
  note: 'Claude Code asks once whether servers of a project may be used: start it again',
}
