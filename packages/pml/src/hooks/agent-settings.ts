import { join } from 'node:path'
import type { AgentName, JsonObject } from '@pml/hooks'
import type { WantedHooks } from './edit-hooks.ts'
import type { HookLine } from './hook-line.ts'

export const scopes = ['project', 'user'] as const
export type Scope = (typeof scopes)[number]

/** Where a registry judges events itself. */
export interface HttpHook {
  readonly url: string
}

/** Where an agent keeps its hooks and how it writes them. */
export interface AgentSettings {
  readonly agent: AgentName
  readonly files: Readonly<Record<Scope, readonly string[]>>
  /** The variable that moves the first folder of the user's file, where there is one. */
  readonly homeVariable?: string
  /** The start of paths in the project, for `sh` and without a shell; undefined where hooks are not started there. */
  readonly inProject?: { readonly sh: string; readonly exec: string }
  /** The variable that the agent tells hooks the project in. */
  readonly projectVariable?: string
  /** The events before a tool; the first of them is before a file is written. */
  readonly gates: readonly string[]
  wanted(line: HookLine, how: { isWindows: boolean; http: HttpHook | undefined }): WantedHooks
  readonly hasHttp: boolean
  /** What a person must know after installing. */
  readonly notes: readonly string[]
}

const TIMEOUT_SECONDS = 30
const API_KEY = 'PML_API_KEY'
/** The key by its name: settings are shared, keys are not. */
const bearer = { headers: { Authorization: `Bearer $${API_KEY}` }, allowedEnvVars: [API_KEY] }

const claude: AgentSettings = {
  agent: 'claude',
  files: { project: ['.claude', 'settings.json'], user: ['.claude', 'settings.json'] },
  homeVariable: 'CLAUDE_CONFIG_DIR',
  inProject: { sh: '"$CLAUDE_PROJECT_DIR"/', exec: '${CLAUDE_PROJECT_DIR}/' },
  projectVariable: 'CLAUDE_PROJECT_DIR',
  gates: ['PreToolUse'],
  hasHttp: true,
  wanted: (line, { isWindows, http }) => {
    const closed = { timeout: TIMEOUT_SECONDS, onFailure: 'block' }
    const { sh, program, args } = line
    const start = isWindows ? { command: program, args } : { command: sh }
    const command = { type: 'command', ...start, ...closed }
    const gate = http ? { type: 'http', url: http.url, ...bearer, ...closed } : command
    return {
      root: {},
      entries: new Map<string, JsonObject>([
        ['PreToolUse', { matcher: '*', hooks: [gate] }],
        // It takes no http.
        ['SessionStart', { hooks: [command] }],
        ['ConfigChange', { hooks: [gate] }],
      ]),
    }
  },
  notes: ['Claude Code runs hooks of a project once its folder is trusted'],
}

const codex: AgentSettings = {
  agent: 'codex',
  files: { project: ['.codex', 'hooks.json'], user: ['.codex', 'hooks.json'] },
  homeVariable: 'CODEX_HOME',
  gates: ['PreToolUse'],
  hasHttp: false,
  wanted: (line, { isWindows }) => {
    const hook = { type: 'command', command: lineOf(line, isWindows), timeout: TIMEOUT_SECONDS }
    return {
      root: {},
      entries: new Map<string, JsonObject>([
        ['PreToolUse', { matcher: '*', hooks: [hook] }],
        ['SessionStart', { hooks: [hook] }],
      ]),
    }
  },
  notes: ['Codex skips a hook that is new or changed until it is trusted: start codex and type /hooks'],
}

const copilot: AgentSettings = {
  agent: 'copilot',
  files: { project: ['.github', 'hooks', 'pml.json'], user: ['.copilot', 'hooks', 'pml.json'] },
  homeVariable: 'COPILOT_HOME',
  inProject: { sh: '', exec: '' },
  gates: ['preToolUse'],
  hasHttp: true,
  wanted: ({ sh, powershell }, { http }) => {
    const command = { type: 'command', bash: sh, powershell, timeoutSec: TIMEOUT_SECONDS }
    const gate = http ? { type: 'http', url: http.url, ...bearer, timeoutSec: TIMEOUT_SECONDS } : command
    return {
      root: { version: 1 },
      entries: new Map<string, JsonObject>([
        ['preToolUse', gate],
        ['sessionStart', command],
      ]),
    }
  },
  notes: [
    'Copilot runs hooks of a project once its folder is trusted, and lets a call through whose hook takes too long',
  ],
}

const cursor: AgentSettings = {
  agent: 'cursor',
  files: { project: ['.cursor', 'hooks.json'], user: ['.cursor', 'hooks.json'] },
  inProject: { sh: '', exec: '' },
  gates: ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution'],
  hasHttp: false,
  wanted: (line, { isWindows }) => {
    // No timeout: versions differ in whether it is seconds or milliseconds.
    const gate = { command: lineOf(line, isWindows), failClosed: true }
    return {
      root: { version: 1 },
      entries: new Map<string, JsonObject>([
        ['beforeShellExecution', gate],
        ['beforeMCPExecution', gate],
        ['preToolUse', gate],
        ['sessionStart', { command: lineOf(line, isWindows) }],
      ]),
    }
  },
  notes: ['Cursor reads its hooks when it starts, in a trusted workspace: open it again'],
}

const gemini: AgentSettings = {
  agent: 'gemini',
  files: { project: ['.gemini', 'settings.json'], user: ['.gemini', 'settings.json'] },
  inProject: { sh: '"$GEMINI_PROJECT_DIR"/', exec: '' },
  projectVariable: 'GEMINI_PROJECT_DIR',
  gates: ['BeforeTool'],
  hasHttp: false,
  wanted: (line, { isWindows }) => {
    const hook = {
      name: 'pml',
      type: 'command',
      command: lineOf(line, isWindows),
      timeout: TIMEOUT_SECONDS * 1000,
    }
    return {
      root: {},
      entries: new Map<string, JsonObject>([
        ['BeforeTool', { matcher: '.*', hooks: [hook] }],
        ['SessionStart', { hooks: [hook] }],
      ]),
    }
  },
  notes: ['Gemini CLI runs hooks of a project once its folder is trusted, and asks again when they change'],
}

const windsurf: AgentSettings = {
  agent: 'windsurf',
  files: { project: ['.windsurf', 'hooks.json'], user: ['.codeium', 'windsurf', 'hooks.json'] },
  inProject: { sh: '', exec: '' },
  gates: ['pre_write_code', 'pre_run_command', 'pre_mcp_tool_use'],
  hasHttp: false,
  wanted: (line, { isWindows }) => {
    const hook = { command: lineOf(line, isWindows), show_output: true }
    const entries = ['pre_run_command', 'pre_write_code', 'pre_mcp_tool_use'].map((event) => {
      return [event, hook] as const
    })
    return { root: {}, entries: new Map<string, JsonObject>(entries) }
  },
  notes: ['Windsurf reads its hooks when it starts: open it again'],
}

export const agentSettings: Readonly<Record<AgentName, AgentSettings>> = {
  claude,
  codex,
  copilot,
  cursor,
  gemini,
  windsurf,
}

/** Where the file of an agent is. */
export function settingsFileOf(
  { files, homeVariable }: AgentSettings,
  scope: Scope,
  { root, home, env }: { root: string; home: string; env: Readonly<Record<string, string | undefined>> },
): { readonly base: string; readonly path: string } {
  if (scope === 'project') return { base: root, path: join(root, ...files.project) }
  const moved = homeVariable === undefined ? undefined : env[homeVariable] || undefined
  if (moved === undefined) return { base: home, path: join(home, ...files.user) }
  return { base: moved, path: join(moved, ...files.user.slice(1)) }
}

/** Whether some version of pml wrote this hook. */
export function isOurHook(agent: AgentName): (hook: JsonObject) => boolean {
  const line = new RegExp(`\\bpml(?:\\.js)?['"]*\\s+hook\\s+--agent[ =]['"]?${agent}\\b`)
  const address = new RegExp(`/hooks/${agent}/?$`)
  return ({ url, headers, command, bash, powershell, args }) => {
    if (typeof url === 'string') return address.test(url) && JSON.stringify(headers ?? {}).includes(API_KEY)
    const words = [command, ...(Array.isArray(args) ? args : [])].join(' ')
    return [words, bash, powershell].some((text) => typeof text === 'string' && line.test(text))
  }
}

/** Cmd and PowerShell both take double quotes, which no path of Windows has in it. */
function lineOf({ sh, program, args }: HookLine, isWindows: boolean): string {
  if (!isWindows) return sh
  return [program, ...args].map((word) => (/[\s&()]/.test(word) ? `"${word}"` : word)).join(' ')
}
