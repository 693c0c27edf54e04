import { knownMembers, listOf, objectMembers, textOf, type Members, type Reading } from './json-reading.ts'
import { JsonSource, type JsonMember, type JsonNode } from './json-source.ts'
import { isComponent } from './names.ts'
import { launchOf, type ServerLaunch } from './server-launch.ts'
import { findStateProblem, stateKeys, type ServerState } from './server-state.ts'

export interface ServerConfig extends ServerLaunch {
  readonly server: string
  readonly type: 'stdio' | 'http'
  readonly description: string
  /** `<server>:<tool>`, sorted; only tools named in the file, for servers without a pin that lists tools. */
  readonly tools: readonly string[]
  readonly state?: ServerState
  readonly warnings?: { readonly createsDotfiles?: readonly string[] }
}

export interface ServerConfigFile {
  readonly servers: readonly ServerConfig[]
  /** Sentences about unknown keys. */
  readonly ignored: readonly string[]
}

const rootKeys = ['$schema', 'mcpServers']
const serverKeys = [
  'type',
  'description',
  'command',
  'args',
  'env',
  'state',
  'url',
  'headers',
  'tools',
  'warnings',
]
export const NAME_EXPECTED = 'expected 1 to 64 letters, digits, _ and -, the first a letter; rename it'
export const TOOL_EXPECTED = 'expected a tool name without its server: letters, digits, _, . and -'
/** The characters that rules can match: others could form a pattern or add lines to a prompt. */
export const bareToolName = /^[A-Za-z0-9_.-]{1,128}$/

/** Parses the file of `mcpServers`. One error names every problem; no message repeats a value. */
export function parseServerConfig(text: string, file: string): ServerConfigFile {
  const reading = { source: new JsonSource(text, file), ignored: [] }
  const servers = serversOf(reading)
  reading.source.requireSound()
  return { servers, ignored: reading.ignored }
}

function serversOf(reading: Reading): ServerConfig[] {
  const { source } = reading
  const servers = knownMembers(reading, source.root, rootKeys).get('mcpServers')
  if (source.root.type === 'object' && servers === undefined) {
    source.report(source.root, 'expected a key mcpServers that holds an object; add "mcpServers": {}')
  }
  if (servers === undefined) return []
  return objectMembers(reading, servers).map((member) => serverOf(reading, member))
}

function serverOf(reading: Reading, { key, name, value }: JsonMember): ServerConfig {
  const { source } = reading
  if (!isComponent(key)) source.report(name, NAME_EXPECTED)
  const members = knownMembers(reading, value, serverKeys)
  const type = typeOf(reading, value, members)
  checkMisplaced(source, members, type)
  const tools = listOf(reading, members.get('tools'), checkToolName(source)).map((tool) => `${key}:${tool}`)
  return {
    server: key,
    type,
    description: textOf(reading, members.get('description')) ?? '',
    ...launchOf(reading, members),
    tools: tools.sort(),
    ...stateOf(reading, members.get('state')),
    ...warningsOf(reading, members.get('warnings')),
  }
}

function typeOf({ source }: Reading, server: JsonNode, members: Members): 'stdio' | 'http' {
  const type = members.has('url') ? 'http' : 'stdio'
  if (server.type !== 'object') return type
  if (members.has('url') === members.has('command')) {
    const got = members.has('url') ? 'both; remove one' : 'neither; add one'
    source.report(server, `expected a command (a local server) or a url (a remote one), got ${got}`)
  }
  const said = members.get('type')
  const allowed: unknown[] = type === 'http' ? ['http', 'streamable-http', 'sse'] : ['stdio']
  if (said && !allowed.includes(said.value)) {
    source.report(
      said,
      `expected "${type}", as it has a ${type === 'http' ? 'url' : 'command'}; remove the key`,
    )
  }
  return type
}

function checkMisplaced(source: JsonSource, members: Members, type: 'stdio' | 'http'): void {
  const misplaced = type === 'http' ? ['args', 'state'] : ['headers']
  const beside = type === 'http' ? 'a command' : 'a url'
  for (const key of misplaced) {
    const node = members.get(key)
    if (node) source.report(node, `expected ${key} beside ${beside}; remove the key`)
  }
}

function stateOf(reading: Reading, node: JsonNode | undefined): Pick<ServerConfig, 'state'> {
  if (node === undefined) return {}
  const members = knownMembers(reading, node, stateKeys)
  const texts = stateKeys.flatMap((key) => {
    const text = textOf(reading, members.get(key))
    return text === undefined ? [] : [[key, text] as const]
  })
  const state: ServerState = Object.fromEntries(texts)
  const problem = findStateProblem(state)
  if (problem !== undefined && node.type === 'object') reading.source.report(node, `${problem}; correct it`)
  return { state }
}

function warningsOf(reading: Reading, node: JsonNode | undefined): Pick<ServerConfig, 'warnings'> {
  if (node === undefined) return {}
  const dotfiles = knownMembers(reading, node, ['createsDotfiles']).get('createsDotfiles')
  return dotfiles ? { warnings: { createsDotfiles: listOf(reading, dotfiles) } } : {}
}

function checkToolName(source: JsonSource) {
  const seen = new Set<string>()
  return (node: JsonNode, tool: string) => {
    if (!bareToolName.test(tool)) source.report(node, TOOL_EXPECTED)
    if (seen.has(tool)) source.report(node, 'expected each tool once; remove one of them')
    seen.add(tool)
  }
}
