import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { approvable, reference } from '../tool-shapes.ts'
import { addHere } from '../verbs/add-here.ts'

export default defineOwn({
  name: 'pml_add',
  description: `Add entries to this workspace: fetched, locked, allowed, and servers installed.

Packages are installed from the pinned tree; their install scripts never run. What an entry needs and this machine
lacks is named at the end: Deno, a program, a key.

## Examples

\`\`\`json
{ "references": ["filesystem", "memory"] }
\`\`\`

\`\`\`json
{ "references": ["pml.std.string.slugify"], "ask": true }
\`\`\`
`,
  cli: { word: 'add', rest: 'references' },
  effect: 'write',
  timeoutMs: 590_000,
  input: z.object({
    references: z.array(reference).min(1).max(100),
    ask: z.boolean().default(false).describe('Ask before each use, instead of allowing it'),
    installDeno: z.boolean().default(false).describe('Install Deno from npm where it is needed and missing'),
  }),
  output: approvable,
  run: addHere,
})
