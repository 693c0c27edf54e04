import type { JsonObject } from '../event.ts'

export const scopes = ['project', 'user'] as const
export type Scope = (typeof scopes)[number]

/** A hook that the registry answers. */
export interface HttpHook {
  readonly url: string
}

/** The command that starts pml as a hook. */
export interface HookLine {
  /**
   * The `sh` line. It exits with 2 in time whatever goes wrong; other exit codes would let the call through in some
   * agents.
   */
  readonly sh: string
  readonly powershell: string
  /** The program and its arguments, without a shell. */
  readonly program: string
  readonly args: readonly string[]
}

/** What the agent's settings must contain. */
export interface WantedHooks {
  /** Members that the file needs beside its hooks. */
  readonly root: JsonObject
  /** One entry for each event. */
  readonly entries: ReadonlyMap<string, JsonObject>
}

/** Where an agent keeps its hooks and how it writes them. */
export interface HookSettings {
  /** Below the project, and below the agent's own folder of the user. */
  readonly files: Readonly<Record<Scope, readonly string[]>>
  /** The prefix of project paths, for `sh` and without a shell; undefined if hooks do not start in the project. */
  readonly inProject?: { readonly sh: string; readonly exec: string }
  /** The variable that names the project for hooks. */
  readonly projectVariable?: string
  /** The events before a tool; the first of them is before a file is written. */
  readonly gates: readonly string[]
  /** The events after a tool, at which pml checks what changed. */
  readonly after: readonly string[]
  /** The file is a program that belongs to pml; by default it is a settings file shared with others. */
  readonly program?: SettingsProgram
  wanted(line: HookLine, how: { isWindows: boolean; http: HttpHook | undefined }): WantedHooks
  /** Undefined if the agent has no HTTP hooks. */
  readonly http?: { readonly onlyHttps?: string }
  /** The same refusal as JSON, for agents whose model does not read stderr. */
  failure?(reason: string): JsonObject
  /** What a person must know after installing. */
  readonly notes: readonly string[]
  /** When the agent skips hooks of a project but not those of the user. */
  readonly skipsProject?: string
  /** It ignores project hooks when started in a subfolder. */
  readonly isRootOnly?: true
}

/** A program that an agent loads instead of settings. */
export interface SettingsProgram {
  /** The whole text of the program. */
  print(settings: string): string
  /** The settings in a program that some version of pml wrote; undefined: pml did not write this one. */
  read(text: string): string | undefined
}

/** Settings of an agent that keep hooks from running. */
export interface Switches {
  /** Files that may turn hooks off, in the order of the report. */
  files(levels: SwitchLevels): readonly SwitchFile[]
  /** A sentence for each hook that can answer an MCP server's question for the person. */
  answering?(setting: Setting): readonly string[]
}

/** Where settings that turn hooks off may be. */
export interface SwitchLevels {
  readonly root: string
  /** The agent's own folder of this user. */
  readonly user: string
  /** Where an administrator keeps settings for everyone. */
  readonly managed: string
}

export interface SwitchFile {
  readonly path: string
  /** Stands for all `.json` files in the folder. */
  readonly isFolder?: true
  /** A sentence for each setting that disables a hook of pml; `url` is the address of an HTTP hook. */
  check(setting: Setting, url: string | undefined): readonly string[]
}

export interface Setting {
  readonly file: string
  readonly value: JsonObject
}

/** How long an agent waits for a hook. */
export const TIMEOUT_SECONDS = 30
export const API_KEY = 'PML_API_KEY'
/** Names the key instead of containing it: settings are shared, keys are not. */
export const bearer = { headers: { Authorization: `Bearer $${API_KEY}` }, allowedEnvVars: [API_KEY] }

/**
 * The line for the platform's shell. Cmd and PowerShell both accept double quotes, and Windows paths contain none.
 */
export function lineOf({ sh, program, args }: HookLine, isWindows: boolean): string {
  if (!isWindows) return sh
  return [program, ...args].map((word) => (/[\s&()]/.test(word) ? `"${word}"` : word)).join(' ')
}

/** Reports `"disableAllHooks": true`. */
export function allTurnedOff({ file, value }: Setting): readonly string[] {
  return value['disableAllHooks'] === true ? [`${file} has "disableAllHooks": no hook runs`] : []
}

/** Whether some version of pml wrote this hook of an agent. */
export function isOurHook(agent: string): (hook: JsonObject) => boolean {
  const line = new RegExp(`\\bpml(?:\\.js)?['"]*\\s+hook\\s+--agent[ =]['"]?${agent}\\b`)
  const address = new RegExp(`/hooks/${agent}/?$`)
  return ({ url, headers, command, bash, powershell, args }) => {
    if (typeof url === 'string') return address.test(url) && JSON.stringify(headers ?? {}).includes(API_KEY)
    const words = [command, ...(Array.isArray(args) ? args : [])].join(' ')
    return [words, bash, powershell].some((text) => typeof text === 'string' && line.test(text))
  }
}
