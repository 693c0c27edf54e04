import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '../event.ts'
import type { Scope } from './hook-settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where an agent may find MCP servers. */
export interface ServerPlaces {
  /** Folders that the agent may have been started in. */
  readonly folders: readonly string[]
  readonly home: string
  /** Where an administrator keeps settings for everyone. */
  readonly managed: string
  readonly env: Environment
}

export interface ServerFile {
  readonly path: string
  /** Candidates for objects that map names to servers. */
  servers(document: JsonObject): readonly unknown[]
}

/** Where an MCP client keeps its servers, and how it writes them. */
export interface GatewaySettings {
  readonly files: Readonly<Record<Scope, (where: GatewayWhere) => SettingsPlace>>
  readonly format: 'json' | 'toml'
  /** The member that maps names to servers. */
  readonly key: string
  /** The server as the client writes it. */
  entry(line: { readonly command: string; readonly args: readonly string[] }): JsonObject
  /** Members of new entries only: a person may change them later. */
  readonly whenNew?: JsonObject
  /** The prefix of project paths; undefined if the client has none. */
  readonly inProject: string | undefined
  /** What a person must know after installing. */
  readonly note: string
}

interface GatewayWhere {
  readonly root: string
  readonly home: string
  readonly env: Environment
  readonly platform: string
}

/** A file, and the folder that links must not leave. */
interface SettingsPlace {
  readonly base: string
  readonly path: string
}

type FindPlace = (where: GatewayWhere) => SettingsPlace

/** A file of the project. */
export function inProject(...path: readonly string[]): FindPlace {
  return ({ root }) => ({ base: root, path: join(root, ...path) })
}

/** A file in the home of the user, or in the folder that a variable names instead. */
export function inHome(variable: string | undefined, ...path: readonly string[]): FindPlace {
  return inFolder(variable, '', ...path)
}

/** A file in a folder of the home, or in the folder that a variable names instead. */
export function inFolder(
  variable: string | undefined,
  folder: string,
  ...path: readonly string[]
): FindPlace {
  return ({ home, env }) => {
    const moved = variable === undefined ? undefined : env[variable] || undefined
    return moved === undefined
      ? { base: home, path: join(home, folder, ...path) }
      : { base: moved, path: join(moved, ...path) }
  }
}

/** A file whose member `key` has servers by their names. */
export function serversAt(key: string, ...path: readonly string[]): ServerFile {
  return { path: join(...path), servers: (document) => [document[key]] }
}

/** The folder that a variable names, if it does. */
export function movedBy(env: Environment, variable: string): string[] {
  const folder = env[variable]
  return folder ? [folder] : []
}

export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
