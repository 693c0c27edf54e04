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
  /** It moves the folder above that one instead. */
  readonly movesHome?: true
  /** The start of paths in the project, for `sh` and without a shell; undefined where hooks are not started there. */
  readonly inProject?: { readonly sh: string; readonly exec: string }
  /** The variable that the agent tells hooks the project in. */
  readonly projectVariable?: string
  /** The events before a tool; the first of them is before a file is written. */
  readonly gates: readonly string[]
  /** The events after a tool, where what it changed is looked at. */
  readonly after: readonly string[]
  wanted(line: HookLine, how: { isWindows: boolean; http: HttpHook | undefined }): WantedHooks
  readonly hasHttp: boolean
  /** What a person must know after installing. */
  readonly notes: readonly string[]
  /** Why the agent may skip hooks of a project, which those of the user escape. */
  readonly skipsProject?: string
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
  after: ['PostToolUse', 'PostToolUseFailure'],
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
        // A registry cannot see the files.
        ...(http ? [] : claude.after.map((event) => afterCalls(event, command))),
        // It takes no http.
        ['SessionStart', { hooks: [command] }],
        ['ConfigChange', { hooks: [gate] }],
      ]),
    }
  },
  notes: ['Claude Code runs hooks of a project once its folder is trusted: start claude there and trust it'],
  skipsProject: 'where it is started in a folder below',
}

const codex: AgentSettings = {
  agent: 'codex',
  files: { project: ['.codex', 'hooks.json'], user: ['.codex', 'hooks.json'] },
  homeVariable: 'CODEX_HOME',
  gates: ['PreToolUse'],
  after: ['PostToolUse'],
  hasHttp: false,
  wanted: (line, { isWindows }) => {
    const hook = { type: 'command', command: lineOf(line, isWindows), timeout: TIMEOUT_SECONDS }
    return {
      root: {},
      entries: new Map<string, JsonObject>([
        ['PreToolUse', { matcher: '*', hooks: [hook] }],
        ['PostToolUse', { matcher: '*', hooks: [hook] }],
        ['SessionStart', { hooks: [hook] }],
      ]),
    }
  },
  notes: ['Codex skips a hook that is new or changed until it is trusted: start codex and type /hooks'],
  skipsProject: 'until the project is trusted, too',
}

const copilot: AgentSettings = {
  agent: 'copilot',
  files: { project: ['.github', 'hooks', 'pml.json'], user: ['.copilot', 'hooks', 'pml.json'] },
  homeVariable: 'COPILOT_HOME',
  inProject: { sh: '', exec: '' },
  gates: ['preToolUse'],
  after: ['postToolUse'],
  hasHttp: true,
  wanted: ({ sh, powershell }, { http }) => {
    const command = { type: 'command', bash: sh, powershell, timeoutSec: TIMEOUT_SECONDS }
    const gate = http ? { type: 'http', url: http.url, ...bearer, timeoutSec: TIMEOUT_SECONDS } : command
    return {
      root: { version: 1 },
      entries: new Map<string, JsonObject>([
        ['preToolUse', gate],
        ...(http ? [] : [['postToolUse', command] as const]),
        ['sessionStart', command],
      ]),
    }
  },
  notes: [
    'Copilot runs hooks of a project once its folder is trusted: start copilot there and trust it for future sessions',
  ],
  skipsProject: 'in a folder that is not trusted, where copilot -p runs tools nevertheless',
}

const cursor: AgentSettings = {
  agent: 'cursor',
  files: { project: ['.cursor', 'hooks.json'], user: ['.cursor', 'hooks.json'] },
  inProject: { sh: '', exec: '' },
  gates: ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution'],
  after: ['afterShellExecution', 'afterMCPExecution', 'postToolUse'],
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
        ...[...cursor.after, 'sessionStart'].map(
          (event) => [event, { command: lineOf(line, isWindows) }] as const,
        ),
      ]),
    }
  },
  notes: ['Cursor reads its hooks when it starts, in a trusted workspace: open it again'],
}

const gemini: AgentSettings = {
  agent: 'gemini',
  files: { project: ['.gemini', 'settings.json'], user: ['.gemini', 'settings.json'] },
  homeVariable: 'GEMINI_CLI_HOME',
  movesHome: true,
  inProject: { sh: '"$GEMINI_PROJECT_DIR"/', exec: '' },
  projectVariable: 'GEMINI_PROJECT_DIR',
  gates: ['BeforeTool'],
  after: ['AfterTool'],
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
        ['AfterTool', { matcher: '.*', hooks: [hook] }],
        ['SessionStart', { hooks: [hook] }],
      ]),
    }
  },
  notes: [
    'Gemini CLI runs no hook in a folder that is not trusted, not even those of the user: start gemini there and trust it',
  ],
  skipsProject: 'where it is started in a folder below',
}

const windsurf: AgentSettings = {
  agent: 'windsurf',
  files: { project: ['.windsurf', 'hooks.json'], user: ['.codeium', 'windsurf', 'hooks.json'] },
  inProject: { sh: '', exec: '' },
  gates: ['pre_write_code', 'pre_run_command', 'pre_mcp_tool_use'],
  after: ['post_run_command', 'post_mcp_tool_use'],
  hasHttp: false,
  wanted: (line, { isWindows }) => {
    const hook = { command: lineOf(line, isWindows), show_output: true }
    const gates = ['pre_run_command', 'pre_write_code', 'pre_mcp_tool_use']
    const entries = [...gates, ...windsurf.after].map((event) => [event, hook] as const)
    return { root: {}, entries: new Map<string, JsonObject>(entries) }
  },
  notes: ['Windsurf reads its hooks when it starts: open it again'],
}

/** Tools of Claude Code that change no file, or only the one that they name: nothing is to be looked at after them. */
const seenThrough =
  'Read|Glob|Grep|LS|Write|Edit|MultiEdit|NotebookEdit|TodoWrite|WebSearch|WebFetch|Task|Agent|AskUserQuestion|ToolSearch'

function afterCalls(event: string, hook: JsonObject): readonly [string, JsonObject] {
  return [event, { matcher: `^(?!(?:${seenThrough})$)`, hooks: [hook] }]
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
  { files, homeVariable, movesHome }: AgentSettings,
  scope: Scope,
  { root, home, env }: { root: string; home: string; env: Readonly<Record<string, string | undefined>> },
): { readonly base: string; readonly path: string } {
  if (scope === 'project') return { base: root, path: join(root, ...files.project) }
  const moved = homeVariable === undefined ? undefined : env[homeVariable] || undefined
  if (moved === undefined) return { base: home, path: join(home, ...files.user) }
  return { base: moved, path: join(moved, ...(movesHome ? files.user : files.user.slice(1))) }
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
