import type { HookedAgent } from '../../description/agent.ts'
import { events } from './events.ts'
import { headless } from './headless.ts'
import { BEFORE } from './plugin.ts'
import { gateway, serverFiles } from './servers.ts'
import { settings } from './settings.ts'

/** opencode, which asks a plugin before and after every tool: https://opencode.ai/docs/plugins */
export const opencode: HookedAgent<'opencode'> = {
  name: 'opencode',
  title: 'opencode',
  hooks: {
    events,
    settings,
    sample: ({ session, cwd, file, content }) => ({
      hook_event_name: BEFORE,
      session_id: session,
      cwd,
      tool_name: 'write',
      tool_input: { filePath: file, content },
    }),
    serverFiles,
    toolForms: [['', '_']],
    harmlessTools: [
      'glob',
      'grep',
      'invalid',
      'list',
      'lsp',
      'plan_enter',
      'plan_exit',
      'question',
      'read',
      'skill',
      'task',
      'todoread',
      'todowrite',
      'webfetch',
      'websearch',
    ],
    shellTools: ['bash'],
  },
  gateway,
  home: {
    path: ['.config', 'opencode'],
    variable: 'XDG_CONFIG_HOME',
    below: ['opencode'],
    deep: { plugins: 1, plugin: 1 },
  },
  guarded: [
    '**/.opencode',
    '**/{.opencode,opencode}/{plugin,plugins}',
    '**/{.opencode,opencode}/{plugin,plugins}/**',
    '**/opencode.{json,jsonc}',
    '**/.config/opencode/config.json',
    '/etc/opencode/**',
  ],
  unhooked: [String.raw`^(?:\S*/)?opencode (?:.* )?--pure\b`, String.raw`\bOPENCODE_PURE=`],
  admin: { name: 'opencode' },
  process: {
    programs: ['opencode', 'opencode-ai'],
    packages: ['opencode-ai'],
    variables: ['OPENCODE', 'OPENCODE_'],
    settings: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR'],
  },
  headless,
}
