import { join } from 'node:path'
import type { AgentName, JsonObject } from '@pml/hooks'

interface Write {
  readonly cwd: string
  readonly path: string
  readonly content: string
}

/** What an agent sends before it writes a file. */
export function writeEventOf(agent: AgentName, { cwd, path, content }: Write): JsonObject {
  const [session, file] = ['pml-hooks-doctor', join(cwd, path)]
  const named = { session_id: session, cwd }
  const input = { file_path: file, content }
  switch (agent) {
    case 'claude':
      return {
        ...named,
        hook_event_name: 'PreToolUse',
        permission_mode: 'default',
        tool_name: 'Write',
        tool_input: input,
      }
    case 'codex':
      return {
        ...named,
        hook_event_name: 'PreToolUse',
        tool_name: 'apply_patch',
        tool_input: { command: patchOf(path, content) },
      }
    case 'copilot':
      return { sessionId: session, cwd, toolName: 'create', toolArgs: { path: file, file_text: content } }
    case 'cursor':
      return {
        conversation_id: session,
        hook_event_name: 'preToolUse',
        workspace_roots: [cwd],
        tool_name: 'Write',
        tool_input: input,
      }
    case 'gemini':
      return { ...named, hook_event_name: 'BeforeTool', tool_name: 'write_file', tool_input: input }
    case 'windsurf':
      return {
        trajectory_id: session,
        agent_action_name: 'pre_write_code',
        tool_info: { cwd, file_path: file, edits: [{ old_string: '', new_string: content }] },
      }
  }
}

function patchOf(path: string, content: string): string {
  const lines = content.split('\n').map((line) => `+${line}`)
  return ['*** Begin Patch', `*** Add File: ${path}`, ...lines, '*** End Patch'].join('\n')
}
