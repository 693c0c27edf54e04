import type { HookEvent } from '@pml/hooks'

/** Tools of agents that write no file, or whose own calls come by a hook too, as those of subagents do. */
const harmlessNames =
  'agent askuserquestion bashoutput codebase_search enterplanmode exitplanmode ' +
  'fetch_copilot_cli_documentation file_search glob google_web_search grep grep_search killshell ' +
  'list_dir list_directory ls pre_read_code read read_file read_many_files report_intent ' +
  'search_file_content skill spawn_agent task taskoutput todoread todowrite toolsearch update_plan view ' +
  'view_image web_fetch webfetch websearch'
const harmless = new Set(harmlessNames.split(' '))

/** Whether a call may change files that nothing in it names. */
export function mayWriteUnseen({ call }: HookEvent): boolean {
  switch (call?.kind) {
    case 'shell':
    case 'mcp':
      return true
    case 'other':
      return !harmless.has(call.tool.toLowerCase())
    default:
      return false
  }
}

const shells = new Set(['bash', 'powershell', 'shell', 'run_shell_command'])

/** Whether the call that is over is of a kind before which files are looked at, whatever the agent. */
export function wasWatched({ overTool = '' }: HookEvent): boolean {
  return shells.has(overTool.toLowerCase()) || overTool.startsWith('mcp__')
}
