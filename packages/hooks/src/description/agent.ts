import type { JsonObject } from '../event.ts'
import type { Adapter } from '../events/adapter.ts'
import type { Headless, OwnHeadless } from './headless.ts'
import type { GatewaySettings, ServerFile, ServerPlaces } from './mcp-settings.ts'
import type { HookSettings, Switches } from './hook-settings.ts'
import type { Trust } from './trust.ts'
import type { Writer } from '../writes/writer.ts'

/**
 * Everything pml knows about one coding agent, as data and pure functions. Flags, schemas, install, doctor and live
 * runs derive from the list of these.
 */
export interface Agent<Name extends string = string> {
  readonly name: Name
  /** What people call it. */
  readonly title: string
  readonly hooks: AgentHooks | NoHooks
  /** How `pml client install` adds the gateway to its settings; undefined if pml cannot. */
  readonly gateway?: GatewaySettings
  /** The agent's folder in the user's home. */
  readonly home?: AgentHome
  /** Globs of its settings, which no agent may change: `${agents}` in the paths of a rule stands for them. */
  readonly guarded: readonly string[]
  /** Expressions for commands that start it without its hooks: `${agents}` in the commands of a rule stands for them. */
  readonly unhooked?: readonly string[]
  readonly admin?: AdminFolder
  readonly process?: AgentProcess
  /** How to run it headless; with `alone` it can run with a person's real settings. */
  readonly headless?: Headless | OwnHeadless
  /** References to the project folder that it expands in command lines of MCP servers. */
  readonly projectReferences?: readonly string[]
}

/** An agent whose hooks pml answers. */
export interface HookedAgent<Name extends string = string> extends Agent<Name> {
  readonly hooks: AgentHooks
}

interface NoHooks {
  /** Why pml has no hook for it: a clause for "because". */
  readonly none: string
}

export interface AgentHooks {
  readonly events: Adapter
  readonly settings: HookSettings
  /** The event that it sends before it writes a file; for the doctor. */
  sample(write: SampleWrite): JsonObject
  /** What its own tools leave on disk, where that was observed. */
  readonly writer?: ObservedWriter
  /** Files that may configure MCP servers. */
  serverFiles(folders: readonly string[], places: ServerPlaces): readonly ServerFile[]
  /** For a settings file that enables servers of the project: whether it enables a server. */
  switchesOn?(file: string): ((settings: JsonObject, server: FoundServer) => boolean) | undefined
  /** Whether the agent itself wrote this settings change to record a person's answer about an open call. */
  isOwnNote?(change: SettingsChange): boolean
  /** What stands before and after the server in names of MCP tools. */
  readonly toolForms: readonly (readonly [before: string, after: string])[]
  /** Prefixes of servers that the agent brings along. */
  readonly ownServers?: readonly string[]
  /** Tools that write no file or whose inner calls are hooked too, in lower case. */
  readonly harmlessTools: readonly string[]
  /** Its tools that run a command, in lower case. */
  readonly shellTools: readonly string[]
  /** Hooks do not see what the model types into a running program. */
  readonly hidesTyping?: true
  /** Variables that may name the project where a hook is started. */
  readonly projectVariables?: readonly string[]
  readonly switches?: Switches
  readonly trust?: Trust
  /** The oldest version that has everything pml relies on, if known. */
  readonly needs?: NeededVersion
}

/** A server in the settings of an agent. */
interface FoundServer {
  readonly name: string
  readonly file: string
}

/** A change of a JSON file; undefined where the text is not JSON. */
export interface SettingsChange {
  readonly path: string
  before(): unknown
  after(): unknown
  /** Calls that are still open. */
  readonly open: readonly { readonly tool: string; readonly command: string }[]
}

interface AgentHome {
  readonly path: readonly string[]
  /** The variable that names another folder. */
  readonly variable?: string
  /** The path of its folder below the one that the variable names; empty by default. */
  readonly below?: readonly string[]
  /** Folders beside `hooks` that contain hooks, and how deep. */
  readonly deep?: Readonly<Record<string, number>>
}

/** Where an administrator keeps settings that users cannot change. */
interface AdminFolder {
  /** Its name, as in `/etc/<name>`. */
  readonly name: string
  /** Whole paths, by platform. */
  readonly paths?: Readonly<Record<'linux' | 'darwin' | 'win32', string>>
}

/** How to recognise its processes. */
export interface AgentProcess {
  /** Names of its executables and scripts. */
  readonly programs: readonly string[]
  /** Parts of script paths that an interpreter such as Node runs. */
  readonly packages: readonly string[]
  /** Variables that it sets for child processes; a trailing `_` matches any suffix. */
  readonly variables: readonly string[]
  /** Variables with such names that people set to configure it. */
  readonly settings: readonly string[]
  /** It is an editor with a terminal that people use. */
  readonly isEditor?: true
}

export interface NeededVersion {
  readonly program: string
  readonly version: string
  /** What older versions lack. */
  readonly reason: string
}

interface SampleWrite {
  readonly session: string
  readonly cwd: string
  /** Relative to `cwd`. */
  readonly path: string
  /** The whole path of the same file. */
  readonly file: string
  readonly content: string
}

export interface ObservedWriter extends Writer {
  /** Operations for which it stands in for unobserved tools. */
  readonly standsFor: readonly (keyof Writer)[]
}

export function hasHooks<Name extends string>(agent: Agent<Name>): agent is HookedAgent<Name> {
  return !('none' in agent.hooks)
}
