import type { JsonObject } from '../event.ts'

export const scopes = ['project', 'user'] as const
export type Scope = (typeof scopes)[number]

/** Where a registry judges events itself. */
export interface HttpHook {
  readonly url: string
}

/** How a hook starts pml. */
export interface HookLine {
  /** The line for `sh`: whatever goes wrong, it ends with 2 in time, which blocks in agents that let failures through as well. */
  readonly sh: string
  readonly powershell: string
  /** Without a shell. */
  readonly program: string
  readonly args: readonly string[]
}

/** What an agent's settings are to say. */
export interface WantedHooks {
  /** Members that a file must have beside its hooks. */
  readonly root: JsonObject
  /** One entry for each event. */
  readonly entries: ReadonlyMap<string, JsonObject>
}

/** Where an agent keeps its hooks and how it writes them. */
export interface HookSettings {
  /** Below the project, and below the agent's own folder of the user. */
  readonly files: Readonly<Record<Scope, readonly string[]>>
  /** The start of paths in the project, for `sh` and without a shell; undefined where hooks are not started there. */
  readonly inProject?: { readonly sh: string; readonly exec: string }
  /** The variable that the agent tells hooks the project in. */
  readonly projectVariable?: string
  /** The events before a tool; the first of them is before a file is written. */
  readonly gates: readonly string[]
  /** The events after a tool, where what it changed is looked at. */
  readonly after: readonly string[]
  /** The file is a program of pml's own with the settings in it; by default it is settings that others write too. */
  readonly program?: SettingsProgram
  wanted(line: HookLine, how: { isWindows: boolean; http: HttpHook | undefined }): WantedHooks
  /** Undefined where it has no hooks over http. */
  readonly http?: { readonly onlyHttps?: string }
  /** What its model reads beside exit 2 where it does not read stderr: the same reason as JSON. */
  failure?(reason: string): JsonObject
  /** What a person must know after installing. */
  readonly notes: readonly string[]
  /** Why the agent may skip hooks of a project, which those of the user escape. */
  readonly skipsProject?: string
  /** It loads no hook of a project where it is started in a folder below. */
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
  /** Files that may turn hooks off, in the order in which they are told. */
  files(levels: SwitchLevels): readonly SwitchFile[]
  /** A sentence for each hook that can answer what an MCP server asks the person. */
  answering?(setting: Setting): readonly string[]
}

/** Where settings that turn hooks off may stand. */
export interface SwitchLevels {
  readonly root: string
  /** The agent's own folder of this user. */
  readonly user: string
  /** Where an administrator keeps settings for everyone. */
  readonly managed: string
}

export interface SwitchFile {
  readonly path: string
  /** All `.json` files in it are meant. */
  readonly isFolder?: true
  /** A sentence for each setting that keeps a hook of ours from running; `url` is that of an http hook. */
  check(setting: Setting, url: string | undefined): readonly string[]
}

export interface Setting {
  readonly file: string
  readonly value: JsonObject
}

/** How long an agent waits for a hook. */
export const TIMEOUT_SECONDS = 30
export const API_KEY = 'PML_API_KEY'
/** The key by its name: settings are shared, keys are not. */
export const bearer = { headers: { Authorization: `Bearer $${API_KEY}` }, allowedEnvVars: [API_KEY] }

/** The line for the shell of the platform. Cmd and PowerShell both take double quotes, which no path of Windows has in it. */
export function lineOf({ sh, program, args }: HookLine, isWindows: boolean): string {
  if (!isWindows) return sh
  return [program, ...args].map((word) => (/[\s&()]/.test(word) ? `"${word}"` : word)).join(' ')
}

/** A check that `"disableAllHooks": true` fails. */
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
