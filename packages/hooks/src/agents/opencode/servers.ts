import { join } from 'node:path'
import type { AgentHooks } from '../../description/agent.ts'
import {
  inFolder,
  inProject,
  movedBy,
  objectOf,
  type GatewaySettings,
  type ServerFile,
} from '../../description/mcp-settings.ts'
import type { JsonObject } from '../../event.ts'

const names = ['opencode.json', 'opencode.jsonc']

/** opencode merges all settings files, so a server may come from any of them. */
export const serverFiles: AgentHooks['serverFiles'] = (folders, { home, env }) => [
  ...folders.flatMap((folder) => [folder, join(folder, '.opencode')]).flatMap(filesIn),
  ...[join(home, '.config'), ...movedBy(env, 'XDG_CONFIG_HOME')].flatMap((folder) =>
    ['config.json', ...names].map((name) => fileAt(join(folder, 'opencode', name))),
  ),
  ...[join(home, '.opencode'), ...movedBy(env, 'OPENCODE_CONFIG_DIR'), ...managedFolders].flatMap(filesIn),
  ...movedBy(env, 'OPENCODE_CONFIG').map(fileAt),
]

/** Where an administrator keeps settings for everyone. */
const managedFolders = ['/etc/opencode', '/Library/Application Support/opencode', 'C:\\ProgramData\\opencode']

function filesIn(folder: string): ServerFile[] {
  return names.map((name) => fileAt(join(folder, name)))
}

function fileAt(path: string): ServerFile {
  return {
    path,
    servers: ({ mcp }) => [
      Object.fromEntries(Object.entries(objectOf(mcp)).map(([name, server]) => [name, asOthers(server)])),
    ],
  }
}

/** `{ command: [program, …arguments], environment }`, as other agents write it. */
function asOthers(server: unknown): JsonObject {
  const { command, environment, ...rest } = objectOf(server)
  const [program, ...args]: readonly unknown[] = Array.isArray(command) ? command : [command]
  const env = Object.entries(objectOf(environment)).map(([name, value]) => [name, passedOn(value)])
  return {
    ...rest,
    ...(program === undefined ? {} : { command: program, args }),
    ...(environment === undefined ? {} : { env: Object.fromEntries(env) }),
  }
}

/** `{env:A}` stands for a variable of its own environment. */
function passedOn(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^\{(env:\w+)\}$/, '${$1}') : value
}

export const gateway: GatewaySettings = {
  files: {
    project: inProject('opencode.json'),
    user: inFolder('XDG_CONFIG_HOME', '.config', 'opencode', 'opencode.json'),
  },
  format: 'json',
  key: 'mcp',
  entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  inProject: undefined,
  note: 'opencode reads its settings when it starts: start it again',
}
