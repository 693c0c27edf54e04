import { PmlError } from '@pml/core/errors'
import type { JsonObject } from '@pml/hooks'
import { agentOf, objectOf, upwards, type ServerFile, type ServerPlaces } from '@pml/hooks/agents'
import { findSettingsText } from './find-settings-text.ts'
import { launchOf, type Launch } from './launch.ts'

/** An MCP server as the configuration of an agent starts it. */
export interface ConfiguredServer {
  readonly name: string
  /** The file that says so. */
  readonly file: string
  readonly launch: Launch
}

/** Every server that the agent is told of, switched on or not: a file that cannot be read is an error, it may start anything. */
export async function readAgentServers(agent: string, places: ServerPlaces): Promise<ConfiguredServer[]> {
  const found: ConfiguredServer[] = []
  for (const { path, servers } of serverFilesOf(agent, places)) {
    const text = findSettingsText(path)
    if (text === undefined) continue
    for (const list of servers(await parseSettings(text, path)))
      for (const [name, server] of Object.entries(objectOf(list)))
        found.push({ name, file: path, launch: launchOf(objectOf(server)) })
  }
  return found
}

/**
 * Every file that the agent may take servers from, in all folders upwards: agents take the nearest, or all of them, or the
 * one of the folder that they were started in, which nobody tells.
 */
function serverFilesOf(agent: string, places: ServerPlaces): ServerFile[] {
  const folders = [...new Set(places.folders.flatMap(upwards))]
  const files = agentOf(agent).hooks.serverFiles(folders, places)
  return [...new Map(files.map((file) => [file.path, file])).values()]
}

/** TOML, or JSON as people write it. Most of it is plain JSON, and the file of Claude Code is large. */
export async function parseSettings(text: string, file: string): Promise<JsonObject> {
  try {
    if (file.endsWith('.toml')) return (await import('smol-toml')).parse(text)
    return objectOf(tryJson(text) ?? (await parseWithComments(text)))
  } catch {
    const format = file.endsWith('.toml') ? 'TOML' : 'JSON'
    throw new PmlError('invalid_config', `Cannot read ${file}: expected ${format}; mend it, or remove it`)
  }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function parseWithComments(text: string): Promise<unknown> {
  const { parse, visit } = await import('jsonc-parser')
  const options = { allowTrailingComma: true, allowEmptyContent: true }
  const refuse = () => {
    throw new Error()
  }
  // The parser would take such a member for the prototype, and nobody would see what is in it.
  visit(text, { onError: refuse, onObjectProperty: (key) => key === '__proto__' && refuse() }, options)
  return parse(text, [], options)
}
