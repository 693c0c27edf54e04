/** The programs of a coding agent, as they are seen among processes. */
export interface KnownAgent {
  readonly title: string
  /** Names of its executables and scripts. */
  readonly programs: readonly string[]
  /** Parts of the path of what an interpreter such as Node runs. */
  readonly packages: readonly string[]
  /** Variables that it gives to what it starts; `_` at the end stands for any rest. */
  readonly variables: readonly string[]
  /** Variables of these names that people set for themselves, to configure it. */
  readonly settings: readonly string[]
}

export const knownAgents: readonly KnownAgent[] = [
  {
    title: 'Claude Code',
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
  {
    title: 'Codex',
    programs: ['codex', 'codex-cli', 'codex-linux-sandbox'],
    packages: ['@openai/codex'],
    variables: ['CODEX_'],
    settings: ['CODEX_HOME', 'CODEX_API_KEY'],
  },
  {
    title: 'Gemini CLI',
    programs: ['gemini', 'gemini-cli'],
    packages: ['@google/gemini-cli'],
    variables: ['GEMINI_CLI', 'GEMINI_CLI_'],
    settings: ['GEMINI_CLI_HOME', 'GEMINI_CLI_SYSTEM_SETTINGS_PATH'],
  },
  {
    title: 'Copilot CLI',
    programs: ['copilot', 'github-copilot', 'copilot-language-server'],
    packages: ['@github/copilot'],
    variables: ['COPILOT_', 'GITHUB_COPILOT_'],
    settings: ['COPILOT_HOME', 'COPILOT_MODEL', 'COPILOT_GITHUB_TOKEN'],
  },
  {
    title: 'Cursor',
    programs: ['cursor', 'cursor-agent', 'cursor helper', 'cursor.appimage'],
    packages: ['cursor-agent', '.cursor-server'],
    variables: ['CURSOR_'],
    settings: ['CURSOR_API_KEY'],
  },
  {
    title: 'Windsurf',
    programs: ['windsurf', 'windsurf helper', 'language_server_linux_x64', 'language_server_macos_arm'],
    packages: ['.windsurf-server'],
    variables: ['WINDSURF_', 'CODEIUM_'],
    settings: ['CODEIUM_API_KEY'],
  },
  {
    title: 'opencode',
    programs: ['opencode', 'opencode-ai'],
    packages: ['opencode-ai'],
    variables: ['OPENCODE', 'OPENCODE_'],
    settings: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR'],
  },
]

/** Programs whose first plain argument is what really runs. */
export const interpreters: ReadonlySet<string> = new Set(
  'node nodejs bun deno tsx npx npm pnpm yarn sh bash dash zsh ksh fish python python3 ruby perl'.split(' '),
)
