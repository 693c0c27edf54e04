import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { limitsOf } from '../call-limits.ts'
import { approvable, reference } from '../tool-shapes.ts'
import { addEntry } from '../verbs/add-entries.ts'

export default defineOwn({
  name: 'pml_add',
  description: `Add entries to this workspace: fetched, locked, allowed, and servers installed.

Packages are installed from the pinned tree; their install scripts never run.`,
  cli: { word: 'add', rest: 'references' },
  effect: 'write',
  timeoutMs: 590_000,
  input: z.object({
    references: z.array(reference).min(1).max(100),
    ask: z.boolean().default(false).describe('Ask before each use, instead of allowing it'),
  }),
  output: approvable,
  run: async ({ client, signal }, { references, ask }) => {
    const parts = await client()
    const added = []
    for (const text of references) {
      const outcome = await addEntry(parts, text, { isAsked: ask, limits: limitsOf({ signal }) })
      if ('approvalRequired' in outcome) return { ...outcome }
      added.push(outcome)
    }
    return { approvalRequired: false, added }
  },
})
