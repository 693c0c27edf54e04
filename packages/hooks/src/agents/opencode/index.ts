import type { HookedAgent } from '../../description/agent.ts'
import type { HookSettings } from '../../description/hook-settings.ts'
import type { JsonObject } from '../../event.ts'
import { events } from './events.ts'
import { headless } from './headless.ts'
import { AFTER, BEFORE, program } from './plugin.ts'
import { gateway, serverFiles } from './servers.ts'

const settings: HookSettings = {
  files: { project: ['.opencode', 'plugins', 'pml.js'], user: ['plugins', 'pml.js'] },
  inProject: { sh: '', exec: '' },
  gates: [BEFORE],
  after: [AFTER],
  program,
  wanted: (line) => {
    const hook = { command: line.program, args: line.args }
    return { root: {}, entries: new Map<string, JsonObject>([BEFORE, AFTER].map((event) => [event, hook])) }
  },
  notes: [
    'opencode loads plugins when it starts: start it again',
    'opencode --pure loads no plugin, and a plugin that cannot be loaded is left out: "pml hooks doctor --agent opencode --live" tells',
  ],
}

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
