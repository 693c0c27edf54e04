import type { HookedAgent } from '../../description/agent.ts'
import { inHome, inProject, movedBy, serversAt } from '../../description/mcp-settings.ts'
import { events } from './events.ts'
import { headless } from './headless.ts'
import { settings, switches, trust } from './settings.ts'
import { writer } from './writer.ts'

/** Gemini CLI: https://geminicli.com/docs/hooks/reference */
export const gemini: HookedAgent<'gemini'> = {
  name: 'gemini',
  title: 'Gemini CLI',
  hooks: {
    events,
    settings,
    sample: ({ session, cwd, file, content }) => ({
      session_id: session,
      cwd,
      hook_event_name: 'BeforeTool',
      tool_name: 'write_file',
      tool_input: { file_path: file, content },
    }),
    writer,
    serverFiles: (folders, { home, env }) => [
      ...[home, ...movedBy(env, 'GEMINI_CLI_HOME'), ...folders].map((folder) =>
        serversAt('mcpServers', folder, '.gemini', 'settings.json'),
      ),
      serversAt('mcpServers', '/etc/gemini-cli', 'settings.json'),
    ],
    toolForms: [
      ['mcp__', '__'],
      ['mcp_', '_'],
    ],
    harmlessTools: [
      'glob',
      'google_web_search',
      'grep_search',
      'list_directory',
      'read_file',
      'read_many_files',
      'search_file_content',
      'web_fetch',
    ],
    shellTools: ['run_shell_command'],
    projectVariables: ['GEMINI_PROJECT_DIR'],
    switches,
    trust,
    needs: { program: 'gemini', version: '0.26.0', reason: 'its hooks are off unless they are turned on' },
  },
  gateway: {
    files: {
      project: inProject('.gemini', 'settings.json'),
      user: inHome('GEMINI_CLI_HOME', '.gemini', 'settings.json'),
    },
    format: 'json',
    key: 'mcpServers',
    entry: ({ command, args }) => ({ command, args: [...args] }),
    inProject: undefined,
    note: 'Gemini CLI starts servers of a project once its folder is trusted: start it again',
  },
  home: { path: ['.gemini'], variable: 'GEMINI_CLI_HOME', below: ['.gemini'], deep: { extensions: 2 } },
  guarded: [
    '**/.gemini',
    '**/.gemini/settings.json',
    '**/.gemini/extensions/*/hooks/hooks.json',
    '/etc/gemini-cli/**',
  ],
  admin: { name: 'gemini-cli' },
  process: {
    programs: ['gemini', 'gemini-cli'],
    packages: ['@google/gemini-cli'],
    variables: ['GEMINI_CLI', 'GEMINI_CLI_'],
    settings: ['GEMINI_CLI_HOME', 'GEMINI_CLI_SYSTEM_SETTINGS_PATH'],
  },
  headless,
}
