import type { HookedAgent } from '../../description/agent.ts'
import { events } from './events.ts'
import { headless } from './headless.ts'
import { gateway, serverFiles } from './servers.ts'
import { settings, trust } from './settings.ts'
import { writer } from './writer.ts'

/** Codex: the events of Claude Code with other tools and without the answer "ask". */
export const codex: HookedAgent<'codex'> = {
  name: 'codex',
  title: 'Codex',
  hooks: {
    events,
    settings,
    sample: ({ session, cwd, path, content }) => ({
      session_id: session,
      cwd,
      hook_event_name: 'PreToolUse',
      tool_name: 'apply_patch',
      tool_input: { command: patchOf(path, content) },
    }),
    writer,
    serverFiles,
    toolForms: [['mcp__', '__']],
    harmlessTools: ['spawn_agent', 'update_plan', 'view_image'],
    shellTools: ['bash'],
    hidesTyping: true,
    projectVariables: ['CODEX_PROJECT_DIR'],
    trust,
    needs: {
      program: 'codex',
      version: '0.124.0',
      reason: 'its hooks do not see patches and calls of MCP servers',
    },
  },
  gateway,
  home: { path: ['.codex'], variable: 'CODEX_HOME' },
  guarded: ['**/.codex', '**/.codex/{hooks.json,config.toml,requirements.toml}', '/etc/codex/**'],
  admin: { name: 'codex' },
  process: {
    programs: ['codex', 'codex-cli', 'codex-linux-sandbox'],
    packages: ['@openai/codex'],
    variables: ['CODEX_'],
    settings: ['CODEX_HOME', 'CODEX_API_KEY'],
  },
  headless,
}

function patchOf(path: string, content: string): string {
  const lines = content.split('\n').map((line) => `+${line}`)
  return ['*** Begin Patch', `*** Add File: ${path}`, ...lines, '*** End Patch'].join('\n')
}
