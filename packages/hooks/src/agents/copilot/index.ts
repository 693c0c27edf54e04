import { join } from 'node:path'
import type { HookedAgent } from '../../description/agent.ts'
import { movedBy, serversAt } from '../../description/mcp-settings.ts'
import { events } from './events.ts'
import { headless } from './headless.ts'
import { settings, switches, trust } from './settings.ts'
import { writer } from './writer.ts'

/** GitHub Copilot, command line and cloud agent: https://docs.github.com/en/copilot/reference/hooks-reference */
export const copilot: HookedAgent<'copilot'> = {
  name: 'copilot',
  title: 'Copilot CLI',
  hooks: {
    events,
    settings,
    sample: ({ session, cwd, file, content }) => ({
      sessionId: session,
      cwd,
      toolName: 'create',
      toolArgs: { path: file, file_text: content },
    }),
    writer,
    serverFiles: (folders, { home, env }) => [
      ...folders.flatMap((folder) => [
        serversAt('mcpServers', folder, '.mcp.json'),
        serversAt('mcpServers', folder, '.github', 'mcp.json'),
        serversAt('servers', folder, '.vscode', 'mcp.json'),
      ]),
      ...[join(home, '.copilot'), ...movedBy(env, 'COPILOT_HOME')].map((folder) =>
        serversAt('mcpServers', folder, 'mcp-config.json'),
      ),
    ],
    toolForms: [
      ['mcp__', '__'],
      ['', '-'],
    ],
    harmlessTools: ['fetch_copilot_cli_documentation', 'report_intent', 'task', 'view', 'web_fetch'],
    shellTools: ['bash', 'powershell'],
    switches,
    trust,
  },
  home: { path: ['.copilot'], variable: 'COPILOT_HOME' },
  guarded: [
    '**/.copilot',
    '**/.copilot/hooks/*.json',
    '**/.copilot/mcp-config.json',
    '**/.copilot/{config,settings}.json',
    '**/.github/hooks',
    '**/.github/hooks/*.json',
    '**/.github/copilot/settings*.json',
    '/etc/github-copilot/**',
  ],
  admin: { name: 'github-copilot' },
  process: {
    programs: ['copilot', 'github-copilot', 'copilot-language-server'],
    packages: ['@github/copilot'],
    variables: ['COPILOT_', 'GITHUB_COPILOT_'],
    settings: ['COPILOT_HOME', 'COPILOT_MODEL', 'COPILOT_GITHUB_TOKEN'],
  },
  headless,
}
