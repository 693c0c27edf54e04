import type { HookSettings } from '../../description/hook-settings.ts'
import type { JsonObject } from '../../event.ts'
import { AFTER, BEFORE, program } from './plugin.ts'

export const settings: HookSettings = {
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
