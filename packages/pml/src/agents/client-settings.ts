import { join } from 'node:path'
import type { Scope } from './agent-settings.ts'
import { homeOf, type Ops } from '../machine/ops.ts'

export const clientNames = ['claude', 'cursor', 'vscode', 'codex', 'gemini'] as const
export type ClientName = (typeof clientNames)[number]

/** Where an MCP client keeps its servers, and how it writes them. */
export interface ClientSettings {
  readonly files: Readonly<Record<Scope, (where: ClientWhere) => SettingsPlace>>
  readonly format: 'json' | 'toml'
  /** The member that has servers by their names. */
  readonly key: string
  /** Whether it wants to be told that a command speaks over stdio. */
  readonly isTyped: boolean
  /** What a path in the project begins with; undefined where the client has no word for that. */
  readonly inProject: string | undefined
  /** What a person must know after installing. */
  readonly note: string
}

export interface ClientWhere {
  readonly root: string
  readonly ops: Pick<Ops, 'env' | 'platform'>
}

/** A file, and what links may not lead it out of. */
export interface SettingsPlace {
  readonly base: string
  readonly path: string
}

export const clientSettings: Readonly<Record<ClientName, ClientSettings>> = {
  claude: {
    files: { project: inProject('.mcp.json'), user: inHome('CLAUDE_CONFIG_DIR', '.claude.json') },
    format: 'json',
    key: 'mcpServers',
    isTyped: true,
    inProject: '${CLAUDE_PROJECT_DIR:-.}/',
    note: 'Claude Code asks once whether servers of a project may be used: start it again',
  },
  cursor: {
    files: { project: inProject('.cursor', 'mcp.json'), user: inHome(undefined, '.cursor', 'mcp.json') },
    format: 'json',
    key: 'mcpServers',
    isTyped: false,
    inProject: '${workspaceFolder}/',
    note: 'Cursor asks whether a new server is to be enabled',
  },
  vscode: {
    files: { project: inProject('.vscode', 'mcp.json'), user: ofCode },
    format: 'json',
    key: 'servers',
    isTyped: true,
    inProject: '${workspaceFolder}/',
    note: 'VS Code asks whether a new server is trusted when it is first started',
  },
  codex: {
    files: {
      project: inProject('.codex', 'config.toml'),
      user: ({ ops }) => movable(ops, 'CODEX_HOME', ['.codex', 'config.toml']),
    },
    format: 'toml',
    key: 'mcp_servers',
    isTyped: false,
    inProject: undefined,
    note: 'Codex reads the settings of a project once its folder is trusted: start it again',
  },
  gemini: {
    files: {
      project: inProject('.gemini', 'settings.json'),
      user: inHome('GEMINI_CLI_HOME', '.gemini', 'settings.json'),
    },
    format: 'json',
    key: 'mcpServers',
    isTyped: false,
    inProject: undefined,
    note: 'Gemini CLI starts servers of a project once its folder is trusted: start it again',
  },
}

type FindPlace = (where: ClientWhere) => SettingsPlace

function inProject(...path: readonly string[]): FindPlace {
  return ({ root }) => ({ base: root, path: join(root, ...path) })
}

/** A variable may name another folder for the file. */
function inHome(variable: string | undefined, ...path: readonly string[]): FindPlace {
  return ({ ops }) => movable(ops, variable, ['', ...path])
}

/** The first folder of the path is what a variable moves. */
function movable(
  { env }: ClientWhere['ops'],
  variable: string | undefined,
  [folder = '', ...path]: readonly string[],
): SettingsPlace {
  const moved = variable === undefined ? undefined : env[variable] || undefined
  const home = homeOf(env)
  return moved === undefined
    ? { base: home, path: join(home, folder, ...path) }
    : { base: moved, path: join(moved, ...path) }
}

function ofCode({ ops: { env, platform } }: ClientWhere): SettingsPlace {
  const path = ['Code', 'User', 'mcp.json']
  if (platform === 'win32')
    return movable({ env, platform }, 'APPDATA', [join('AppData', 'Roaming'), ...path])
  if (platform === 'darwin')
    return movable({ env, platform }, undefined, [join('Library', 'Application Support'), ...path])
  return movable({ env, platform }, 'XDG_CONFIG_HOME', ['.config', ...path])
}
