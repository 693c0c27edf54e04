import { join } from 'node:path'
import { headless } from '../../../packages/hooks/src/agents/claude/headless.ts'
import { platformPackage } from '../install.ts'
import { changeJson, NOBODY } from '../place.ts'
import type { Agent } from './agent.ts'

export const claude: Agent = {
  name: 'claude',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.326',
  limits: { 'folder trust in files': '`claude -p` runs hooks of a project in every folder' },
  hookFile: '.claude/settings.json',
  blockedBy: (call) => `PreToolUse:${headless.use(call, '').tool} hook error: `,
  asked: 'pml continue',
  prepare: async () => {},
  trustHooks: async () => {},
  answerDialogs: ({ home }, answer) =>
    changeJson(join(home, '.claude', 'settings.json'), (settings) => {
      const output = { hookEventName: 'Elicitation', action: 'accept', content: { answer } }
      const command = `echo '${JSON.stringify({ hookSpecificOutput: output })}'`
      const hooks = { Elicitation: [{ hooks: [{ type: 'command', command }] }] }
      return { ...settings, hooks: { ...(settings['hooks'] as object | undefined), ...hooks } }
    }),
  addServer: ({ project }, { name, command: [command, ...args] }) =>
    changeJson(join(project, '.mcp.json'), (settings) => {
      const servers = settings['mcpServers'] as object | undefined
      return { ...settings, mcpServers: { ...servers, [name]: { type: 'stdio', command, args } } }
    }),
  headless,
  program: (installed) => platformPackage(installed, '@anthropic-ai/claude-code-', 'claude'),
  flags: (isYolo) => (isYolo ? [] : ['--allowedTools', 'Bash', 'mcp__pml', 'mcp__stray']),
  // Root may skip permissions only in a sandbox.
  env: { IS_SANDBOX: '1' },
  useOwnModel: ({ home }) =>
    changeJson(join(home, '.claude', 'settings.json'), (settings) => ({
      ...settings,
      env: { ANTHROPIC_BASE_URL: NOBODY, ANTHROPIC_AUTH_TOKEN: 's3cr3t' },
    })),
  skipHooks: ({ home }) =>
    changeJson(join(home, '.claude', 'settings.json'), (settings) => ({
      ...settings,
      disableAllHooks: true,
    })),
}
