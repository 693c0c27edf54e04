import type { AgentName } from '@pml/hooks'

/** The event that each agent sends before it writes a file. Some send only an edit or patch. */
export const writeEvents: Readonly<Record<AgentName, (path: string, content: string) => object>> = {
  claude: (file_path, content) => ({ ...claude, tool_name: 'Write', tool_input: { file_path, content } }),
  codex: (path, content) => ({
    ...claude,
    tool_name: 'apply_patch',
    tool_input: { command: addFiles([{ path, content }]) },
  }),
  copilot: (path, content) => ({
    sessionId: 'session-1',
    timestamp: 1_704_614_600_000,
    cwd: '/project',
    toolName: 'create',
    toolArgs: JSON.stringify({ path, file_text: content }),
  }),
  cursor: (file_path, contents) => ({
    conversation_id: 'session-1',
    generation_id: 'g',
    hook_event_name: 'preToolUse',
    workspace_roots: ['/project'],
    tool_name: 'Write',
    tool_input: { file_path, contents },
  }),
  gemini: (file_path, content) => ({
    ...claude,
    hook_event_name: 'BeforeTool',
    tool_name: 'write_file',
    tool_input: { file_path, content },
  }),
  opencode: (filePath, content) => ({
    ...claude,
    hook_event_name: 'tool.execute.before',
    tool_name: 'write',
    tool_input: { filePath, content },
  }),
  windsurf: (file_path, content) => ({
    agent_action_name: 'pre_write_code',
    trajectory_id: 'session-1',
    execution_id: 'e',
    tool_info: { cwd: '/project', file_path, edits: [{ old_string: '', new_string: content }] },
  }),
}

const claude = {
  session_id: 'session-1',
  cwd: '/project',
  permission_mode: 'default',
  hook_event_name: 'PreToolUse',
}

export interface NewFile {
  readonly path: string
  readonly content: string
}

/** Returns the Codex patch that creates several files. Each content must end with a line end. */
export function addFiles(files: readonly NewFile[]): string {
  const parts = files.map(
    ({ path, content }) => `*** Add File: ${path}\n${content.replaceAll(/^(?=.|\n)/gm, '+')}`,
  )
  return `*** Begin Patch\n${parts.join('')}*** End Patch`
}

/** Blocks scripts in workspace/, needs approval in guarded/, and prompts for commands that cannot be analysed. */
export const usualPolicy = String.raw`{
  "version": 1,
  "rules": [
    {
      "id": "NO_SCRIPTS",
      "tools": ["write"],
      "paths": ["workspace/**"],
      "match": { "extensions": [".js"], "content": ["(?i)secret-\\d+"] },
      "effect": "block",
      "reason": "scripts do not belong here",
      "suggestion": "Use a server"
    },
    {
      "id": "GUARDED",
      "tools": ["write"],
      "paths": ["**/guarded/**"],
      "effect": { "approval": "guard" },
      "reason": "this is guarded",
      "suggestion": "Have it reviewed"
    },
    {
      "id": "NO_FORCE",
      "tools": ["shell"],
      "match": { "commands": ["^git push.* --force"] },
      "effect": "block",
      "unknown": "ask",
      "reason": "others lose their work",
      "suggestion": "Push without force"
    }
  ]
}`
