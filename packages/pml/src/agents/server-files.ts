import { dirname, join } from 'node:path'
import type { AgentName, JsonObject } from '@pml/hooks'
import { objectOf } from './launch.ts'

/** Where an agent may find servers. */
export interface ServerPlaces {
  /** Folders that the agent may have been started in. */
  readonly folders: readonly string[]
  readonly home: string
  /** Where an administrator keeps settings of Claude Code. */
  readonly managed: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface ServerFile {
  readonly path: string
  /** What may be objects of servers by their names. */
  servers(document: JsonObject): readonly unknown[]
}

/**
 * Every file that the agent may take servers from, in all folders upwards: agents take the nearest, or all of them, or the
 * one of the folder that they were started in, which nobody tells.
 */
export function serverFilesOf(agent: AgentName, places: ServerPlaces): ServerFile[] {
  const folders = [...new Set(places.folders.flatMap(upwards))]
  const files = findFiles[agent](folders, places)
  return [...new Map(files.map((file) => [file.path, file])).values()]
}

type FindFiles = (folders: readonly string[], places: ServerPlaces) => ServerFile[]

const findFiles: Readonly<Record<AgentName, FindFiles>> = {
  claude: (folders, { home, env, managed }) => [
    ...folders.map((folder) => fileAt('mcpServers', folder, '.mcp.json')),
    ...[home, ...moved(env, 'CLAUDE_CONFIG_DIR')].map((folder) => ({
      path: join(folder, '.claude.json'),
      servers: claudeProjects(folders),
    })),
    fileAt('mcpServers', managed, 'managed-mcp.json'),
  ],
  codex: (folders, { home, env }) => [
    ...[home, ...folders].map((folder) => fileAt('mcp_servers', folder, '.codex', 'config.toml')),
    ...moved(env, 'CODEX_HOME').map((folder) => fileAt('mcp_servers', folder, 'config.toml')),
  ],
  copilot: (folders, { home, env }) => [
    ...folders.flatMap((folder) => [
      fileAt('mcpServers', folder, '.mcp.json'),
      fileAt('mcpServers', folder, '.github', 'mcp.json'),
      fileAt('servers', folder, '.vscode', 'mcp.json'),
    ]),
    ...[join(home, '.copilot'), ...moved(env, 'COPILOT_HOME')].map((folder) =>
      fileAt('mcpServers', folder, 'mcp-config.json'),
    ),
  ],
  cursor: (folders, { home }) =>
    [home, ...folders].map((folder) => fileAt('mcpServers', folder, '.cursor', 'mcp.json')),
  gemini: (folders, { home, env }) => [
    ...[home, ...moved(env, 'GEMINI_CLI_HOME'), ...folders].map((folder) =>
      fileAt('mcpServers', folder, '.gemini', 'settings.json'),
    ),
    fileAt('mcpServers', '/etc/gemini-cli', 'settings.json'),
  ],
  windsurf: (_, { home }) => [
    fileAt('mcpServers', home, '.codeium', 'windsurf', 'mcp_config.json'),
    fileAt('mcpServers', home, '.codeium', 'mcp_config.json'),
  ],
}

function fileAt(key: string, ...path: readonly string[]): ServerFile {
  return { path: join(...path), servers: (document) => [document[key]] }
}

/** What Claude Code keeps for all folders, and for each, which it writes with slashes on Windows too. */
function claudeProjects(folders: readonly string[]): ServerFile['servers'] {
  return ({ mcpServers, projects }) => [
    mcpServers,
    ...folders
      .flatMap((folder) => [folder, folder.replaceAll('\\', '/')])
      .map((folder) => objectOf(objectOf(projects)[folder])['mcpServers']),
  ]
}

function moved(env: ServerPlaces['env'], variable: string): string[] {
  const folder = env[variable]
  return folder ? [folder] : []
}

function upwards(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...upwards(parent)]
}
