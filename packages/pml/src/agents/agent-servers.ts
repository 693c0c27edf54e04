import { PmlError } from '@pml/core/errors'
import type { JsonObject } from '@pml/hooks'
import { agentOf, objectOf, upwards, type ServerFile, type ServerPlaces } from '@pml/hooks/agents'
import { findSettingsText } from './find-settings-text.ts'
import { launchOf, type Launch } from './launch.ts'

/** An MCP server in the configuration of an agent. */
export interface ConfiguredServer {
  readonly name: string
  /** The file that configures it. */
  readonly file: string
  readonly launch: Launch
}

/** All servers configured for the agent, enabled or not. Throws for a file that cannot be read: it may start anything. */
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
 * All files that the agent may read servers from, in all parent folders: agents read the nearest one, or all of them, or the
 * one of the folder that they were started in, which is unknown here.
 */
function serverFilesOf(agent: string, places: ServerPlaces): ServerFile[] {
  const folders = [...new Set(places.folders.flatMap(upwards))]
  const files = agentOf(agent).hooks.serverFiles(folders, places)
  return [...new Map(files.map((file) => [file.path, file])).values()]
}

/** Parses TOML or JSON with comments. Tries plain JSON first, because the file of Claude Code is large. */
export async function parseSettings(text: string, file: string): Promise<JsonObject> {
  try {
    if (file.endsWith('.toml')) return (await import('smol-toml')).parse(text)
    return objectOf(tryJson(text) ?? (await parseWithComments(text)))
  } catch {
    const format = file.endsWith('.toml') ? 'TOML' : 'JSON'
    throw new PmlError('invalid_config', `Cannot read ${file}: expected ${format}; fix it, or remove it`)
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
  // The parser would set this member as the prototype, and its content would go unseen.
  visit(text, { onError: refuse, onObjectProperty: (key) => key === '__proto__' && refuse() }, options)
  return parse(text, [], options)
}
