import type { HookedAgent } from '../../description/agent.ts'
import { lineOf, type HookSettings } from '../../description/hook-settings.ts'
import { serversAt } from '../../description/mcp-settings.ts'
import type { JsonObject } from '../../event.ts'
import { events } from './events.ts'

const after = ['post_run_command', 'post_mcp_tool_use']

const settings: HookSettings = {
  files: { project: ['.windsurf', 'hooks.json'], user: ['hooks.json'] },
  inProject: { sh: '', exec: '' },
  gates: ['pre_write_code', 'pre_run_command', 'pre_mcp_tool_use'],
  after,
  wanted: (line, { isWindows }) => {
    const hook = { command: lineOf(line, isWindows), show_output: true }
    const gates = ['pre_run_command', 'pre_write_code', 'pre_mcp_tool_use']
    const entries = [...gates, ...after].map((event) => [event, hook] as const)
    return { root: {}, entries: new Map<string, JsonObject>(entries) }
  },
  notes: ['Windsurf reads its hooks when it starts: open it again'],
}

/** Windsurf: https://docs.windsurf.com/windsurf/cascade/hooks */
export const windsurf: HookedAgent<'windsurf'> = {
  name: 'windsurf',
  title: 'Windsurf',
  hooks: {
    events,
    settings,
    sample: ({ session, cwd, file, content }) => ({
      trajectory_id: session,
      agent_action_name: 'pre_write_code',
      tool_info: { cwd, file_path: file, edits: [{ old_string: '', new_string: content }] },
    }),
    serverFiles: (_, { home }) => [
      serversAt('mcpServers', home, '.codeium', 'windsurf', 'mcp_config.json'),
      serversAt('mcpServers', home, '.codeium', 'mcp_config.json'),
    ],
    toolForms: [],
    harmlessTools: ['pre_read_code'],
    shellTools: ['shell'],
  },
  home: { path: ['.codeium', 'windsurf'] },
  guarded: [
    '**/.windsurf',
    '**/.windsurf/hooks.json',
    '**/.codeium/windsurf/hooks.json',
    '**/.codeium/windsurf/mcp_config.json',
    '/etc/windsurf/**',
  ],
  admin: { name: 'windsurf' },
  process: {
    programs: ['windsurf', 'windsurf helper', 'language_server_linux_x64', 'language_server_macos_arm'],
    packages: ['.windsurf-server'],
    variables: ['WINDSURF_', 'CODEIUM_'],
    settings: ['CODEIUM_API_KEY'],
    isEditor: true,
  },
}
