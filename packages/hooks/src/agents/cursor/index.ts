import type { HookedAgent } from '../../description/agent.ts'
import { lineOf, type HookSettings } from '../../description/hook-settings.ts'
import { inHome, inProject, serversAt } from '../../description/mcp-settings.ts'
import type { JsonObject } from '../../event.ts'
import { events } from './events.ts'

const after = ['afterShellExecution', 'afterMCPExecution', 'postToolUse']

const settings: HookSettings = {
  files: { project: ['.cursor', 'hooks.json'], user: ['hooks.json'] },
  inProject: { sh: '', exec: '' },
  gates: ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution'],
  after,
  wanted: (line, { isWindows }) => {
    // No timeout: versions differ in whether it is seconds or milliseconds.
    const gate = { command: lineOf(line, isWindows), failClosed: true }
    return {
      root: { version: 1 },
      entries: new Map<string, JsonObject>([
        ['beforeShellExecution', gate],
        ['beforeMCPExecution', gate],
        ['preToolUse', gate],
        ...[...after, 'sessionStart'].map((event) => [event, { command: lineOf(line, isWindows) }] as const),
      ]),
    }
  },
  notes: ['Cursor reads its hooks when it starts, in a trusted workspace: open it again'],
}

/** Cursor: https://cursor.com/docs/agent/hooks */
export const cursor: HookedAgent<'cursor'> = {
  name: 'cursor',
  title: 'Cursor',
  hooks: {
    events,
    settings,
    sample: ({ session, cwd, file, content }) => ({
      conversation_id: session,
      hook_event_name: 'preToolUse',
      workspace_roots: [cwd],
      tool_name: 'Write',
      tool_input: { file_path: file, content },
    }),
    serverFiles: (folders, { home }) =>
      [home, ...folders].map((folder) => serversAt('mcpServers', folder, '.cursor', 'mcp.json')),
    toolForms: [],
    harmlessTools: ['codebase_search', 'file_search', 'grep', 'grep_search', 'list_dir', 'read', 'read_file'],
    shellTools: ['shell'],
    projectVariables: ['CURSOR_PROJECT_DIR'],
    needs: { program: 'cursor', version: '2.4.0', reason: 'it has no hook before a file is written' },
  },
  gateway: {
    files: { project: inProject('.cursor', 'mcp.json'), user: inHome(undefined, '.cursor', 'mcp.json') },
    format: 'json',
    key: 'mcpServers',
    entry: ({ command, args }) => ({ command, args: [...args] }),
    inProject: '${workspaceFolder}/',
    note: 'Cursor asks whether a new server is to be enabled',
  },
  home: { path: ['.cursor'] },
  guarded: ['**/.cursor', '**/.cursor/hooks.json', '**/.cursor/mcp.json'],
  process: {
    programs: ['cursor', 'cursor-agent', 'cursor helper', 'cursor.appimage'],
    packages: ['cursor-agent', '.cursor-server'],
    variables: ['CURSOR_'],
    settings: ['CURSOR_API_KEY'],
    isEditor: true,
  },
  projectReferences: ['${workspaceFolder}'],
}
