import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PmlError } from '@pml/core/errors'
import type { AgentName, JsonObject } from '@pml/hooks'

/** An MCP server as the configuration of an agent starts it. */
export interface ConfiguredServer {
  readonly name: string
  /** The file that says so. */
  readonly file: string
  readonly launch: Launch
}

export type Launch =
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly env: readonly string[] }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'none' }

export interface ServerPlaces {
  readonly root: string
  readonly home: string
}

type FindServers = (document: JsonObject, places: ServerPlaces) => unknown[]

interface ServerFile {
  readonly path: (places: ServerPlaces) => string
  readonly servers: FindServers
}

const under = (...keys: readonly string[]): FindServers => {
  return (document) => keys.map((key) => document[key])
}
/** The settings that Claude Code keeps for each folder, and those for all. */
const claudeProjects: FindServers = ({ mcpServers, projects }, { root }) => [
  mcpServers,
  objectOf(objectOf(projects)[root])['mcpServers'],
]
const inRoot = (...path: string[]) => {
  return ({ root }: ServerPlaces) => join(root, ...path)
}
const inHome = (...path: string[]) => {
  return ({ home }: ServerPlaces) => join(home, ...path)
}

const files: Readonly<Record<AgentName, readonly ServerFile[]>> = {
  claude: [
    { path: inRoot('.mcp.json'), servers: under('mcpServers') },
    { path: inHome('.claude.json'), servers: claudeProjects },
    { path: () => '/etc/claude-code/managed-mcp.json', servers: under('mcpServers') },
  ],
  codex: [
    { path: inRoot('.codex', 'config.toml'), servers: under('mcp_servers') },
    { path: inHome('.codex', 'config.toml'), servers: under('mcp_servers') },
  ],
  copilot: [
    { path: inRoot('.mcp.json'), servers: under('mcpServers') },
    { path: inRoot('.vscode', 'mcp.json'), servers: under('servers', 'mcpServers') },
    { path: inHome('.copilot', 'mcp-config.json'), servers: under('mcpServers') },
  ],
  cursor: [
    { path: inRoot('.cursor', 'mcp.json'), servers: under('mcpServers') },
    { path: inHome('.cursor', 'mcp.json'), servers: under('mcpServers') },
  ],
  gemini: [
    { path: inRoot('.gemini', 'settings.json'), servers: under('mcpServers') },
    { path: inHome('.gemini', 'settings.json'), servers: under('mcpServers') },
  ],
  windsurf: [{ path: inHome('.codeium', 'windsurf', 'mcp_config.json'), servers: under('mcpServers') }],
}

/** Every server that the agent is told of. A file that cannot be read is an error: it may start anything. */
export async function readAgentServers(agent: AgentName, places: ServerPlaces): Promise<ConfiguredServer[]> {
  const found: ConfiguredServer[] = []
  for (const { path, servers } of files[agent]) {
    const file = path(places)
    const document = await findDocument(file)
    if (!document) continue
    for (const list of servers(document, places))
      for (const [name, server] of Object.entries(objectOf(list)))
        found.push({ name, file, launch: launchOf(objectOf(server)) })
  }
  return found
}

async function findDocument(file: string): Promise<JsonObject | undefined> {
  const text = findText(file)
  if (text === undefined) return undefined
  try {
    if (file.endsWith('.toml')) return (await import('smol-toml')).parse(text)
    const { parse } = await import('jsonc-parser')
    const errors: unknown[] = []
    const document: unknown = parse(text, errors as never, {
      allowTrailingComma: true,
      allowEmptyContent: true,
    })
    if (errors.length > 0) throw new Error('it is not JSON')
    return objectOf(document)
  } catch (error) {
    throw new PmlError('invalid_config', `Cannot read ${file}: ${(error as Error).message.split('\n')[0]}`)
  }
}

function findText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new PmlError('invalid_config', `Cannot read ${file}: ${code}`)
  }
}

function launchOf({ command, args, env, url, httpUrl, serverUrl }: JsonObject): Launch {
  const address = [url, httpUrl, serverUrl].find((one) => typeof one === 'string')
  if (typeof address === 'string') return { kind: 'url', url: address }
  const words = [command].flat().filter((word) => typeof word === 'string')
  if (words.length === 0) return { kind: 'none' }
  const rest = Array.isArray(args) ? args.map(String) : []
  return { kind: 'command', words: [...words, ...rest], env: Object.keys(objectOf(env)) }
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
