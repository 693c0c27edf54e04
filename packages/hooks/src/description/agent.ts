import type { JsonObject } from '../event.ts'
import type { Adapter } from '../events/adapter.ts'
import type { Headless, OwnHeadless } from './headless.ts'
import type { GatewaySettings, ServerFile, ServerPlaces } from './mcp-settings.ts'
import type { HookSettings, Switches } from './hook-settings.ts'
import type { Trust } from './trust.ts'
import type { Writer } from '../writes/writer.ts'

/**
 * Everything that is known about one coding agent, as data and pure functions. All that lists agents derives from the list
 * of these: flags, schemas, installing, the doctor, documents, live runs.
 */
export interface Agent<Name extends string = string> {
  readonly name: Name
  /** What people call it. */
  readonly title: string
  readonly hooks: AgentHooks | NoHooks
  /** How `pml client install` writes the gateway into its settings; undefined where pml cannot. */
  readonly gateway?: GatewaySettings
  /** Its own folder in the home of a user. */
  readonly home?: AgentHome
  /** Globs of its settings, which no agent may change: `${agents}` in the paths of a rule stands for them. */
  readonly guarded: readonly string[]
  /** Expressions for commands that start it without its hooks: `${agents}` in the commands of a rule stands for them. */
  readonly unhooked?: readonly string[]
  readonly admin?: AdminFolder
  readonly process?: AgentProcess
  /** How it is run without a person; `alone` is there where it can be run with the settings of a person. */
  readonly headless?: Headless | OwnHeadless
  /** What it puts the folder of the project in for, in the command lines of MCP servers. */
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
  /** Files that it may take MCP servers from. */
  serverFiles(folders: readonly string[], places: ServerPlaces): readonly ServerFile[]
  /** For a file of settings that says which servers of the project are used: whether its settings switch a server on. */
  switchesOn?(file: string): ((settings: JsonObject, server: FoundServer) => boolean) | undefined
  /** Whether it wrote this change of its settings itself, to note what a person answered about an open call. */
  isOwnNote?(change: SettingsChange): boolean
  /** What comes before and after the server in the name of a tool of an MCP server. */
  readonly toolForms: readonly (readonly [before: string, after: string])[]
  /** How the names of servers begin that it brings itself. */
  readonly ownServers?: readonly string[]
  /** Its tools that write no file, or whose own calls come by a hook too, in lower case. */
  readonly harmlessTools: readonly string[]
  /** Its tools that run a command, in lower case. */
  readonly shellTools: readonly string[]
  /** It shows no hook what the model types into a program that runs. */
  readonly hidesTyping?: true
  /** Variables that may name the project where a hook is started. */
  readonly projectVariables?: readonly string[]
  readonly switches?: Switches
  readonly trust?: Trust
  /** The oldest version that has all we rely on, where that is known. */
  readonly needs?: NeededVersion
}

/** A server in the settings of an agent. */
interface FoundServer {
  readonly name: string
  readonly file: string
}

/** A change of a JSON file; `undefined` stands for what is no JSON. */
export interface SettingsChange {
  readonly path: string
  before(): unknown
  after(): unknown
  /** The calls that are not over. */
  readonly open: readonly { readonly tool: string; readonly command: string }[]
}

interface AgentHome {
  readonly path: readonly string[]
  /** The variable that names another folder. */
  readonly variable?: string
  /** Where its folder is below the one that the variable names; the variable names the folder itself by default. */
  readonly below?: readonly string[]
  /** Folders in it, beside `hooks`, that have hooks in folders of their own, and how deep. */
  readonly deep?: Readonly<Record<string, number>>
}

/** Where an administrator keeps settings that nobody else can change. */
interface AdminFolder {
  /** Its name beside the other folders of administrators, such as `/etc/<name>`. */
  readonly name: string
  /** Whole paths, by platform. */
  readonly paths?: Readonly<Record<'linux' | 'darwin' | 'win32', string>>
}

/** How its programs are seen among processes. */
export interface AgentProcess {
  /** Names of its executables and scripts. */
  readonly programs: readonly string[]
  /** Parts of the path of what an interpreter such as Node runs. */
  readonly packages: readonly string[]
  /** Variables that it gives to what it starts; `_` at the end stands for any rest. */
  readonly variables: readonly string[]
  /** Variables of these names that people set for themselves, to configure it. */
  readonly settings: readonly string[]
  /** It is an editor, in whose terminal a person works. */
  readonly isEditor?: true
}

export interface NeededVersion {
  readonly program: string
  readonly version: string
  /** What an older one does not know. */
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
  /** What it stands for where nobody has observed the tool that writes. */
  readonly standsFor: readonly (keyof Writer)[]
}

export function hasHooks<Name extends string>(agent: Agent<Name>): agent is HookedAgent<Name> {
  return !('none' in agent.hooks)
}
