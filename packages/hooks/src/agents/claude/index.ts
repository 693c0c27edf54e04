import type { HookedAgent } from '../../description/agent.ts'
import { events } from './events.ts'
import { headless } from './headless.ts'
import { isOwnNote } from './own-note.ts'
import { gateway, serverFiles, switchesOn } from './servers.ts'
import { settings, switches, trust } from './settings.ts'
import { writer } from './writer.ts'

/** Claude Code: https://code.claude.com/docs/en/hooks */
export const claude: HookedAgent<'claude'> = {
  name: 'claude',
  title: 'Claude Code',
  hooks: {
    events,
    settings,
    sample: ({ session, cwd, file, content }) => ({
      session_id: session,
      cwd,
      hook_event_name: 'PreToolUse',
      permission_mode: 'default',
      tool_name: 'Write',
      tool_input: { file_path: file, content },
    }),
    writer,
    serverFiles,
    switchesOn,
    isOwnNote,
    toolForms: [['mcp__', '__']],
    ownServers: ['plugin_', 'claude_ai_'],
    harmlessTools: [
      'agent',
      'askuserquestion',
      'bashoutput',
      'enterplanmode',
      'exitplanmode',
      'glob',
      'grep',
      'killshell',
      'ls',
      'read',
      'skill',
      'task',
      'taskoutput',
      'todoread',
      'todowrite',
      'toolsearch',
      'webfetch',
      'websearch',
    ],
    shellTools: ['bash', 'powershell'],
    projectVariables: ['CLAUDE_PROJECT_DIR'],
    switches,
    trust,
    needs: {
      program: 'claude',
      version: '2.1.295',
      reason: 'it ignores onFailure, so a hook that takes too long lets the call through',
    },
  },
  gateway,
  home: { path: ['.claude'], variable: 'CLAUDE_CONFIG_DIR' },
  guarded: [
    '**/.claude',
    '**/.claude/settings*.json',
    '**/.claude/hooks/**',
    '**/.mcp.json',
    '/etc/claude-code/**',
    '**/ClaudeCode/managed-*',
  ],
  unhooked: [
    String.raw`\bdisableAllHooks['"]?\s*[:=]\s*['"]?(?:true|True|1)`,
    String.raw`^(?:\S*/)?(?:claude|\S*claude-code\S*) (?:.* )?--(?:bare|dangerously-skip-permissions)\b`,
  ],
  admin: {
    name: 'claude-code',
    paths: {
      linux: '/etc/claude-code',
      darwin: '/Library/Application Support/ClaudeCode',
      win32: 'C:\\Program Files\\ClaudeCode',
    },
  },
  process: {
    programs: ['claude', 'claude-code'],
    packages: ['@anthropic-ai/claude-code', '@anthropic-ai/claude-agent-sdk', '.claude/local'],
    variables: ['CLAUDECODE', 'CLAUDE_CODE_', 'CLAUDE_AGENT_', 'CLAUDE_PROJECT_DIR'],
    settings: [
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'CLAUDE_CODE_USE_FOUNDRY',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
      'CLAUDE_CODE_ENABLE_TELEMETRY',
      'CLAUDE_CODE_API_KEY_HELPER_TTL_MS',
      'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
      'CLAUDE_CODE_SUBAGENT_MODEL',
      'CLAUDE_CODE_DISABLE_TERMINAL_TITLE',
    ],
  },
  headless,
  projectReferences: ['${CLAUDE_PROJECT_DIR}', '${CLAUDE_PROJECT_DIR:-.}'],
}
