import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { fqdn } from '../tool-shapes.ts'
import { cleanLock } from '../verbs/clean-lock.ts'

export default defineOwn({
  name: 'lock_clean',
  description: `Remove entries from the lockfile that no rule wants, and old ones.

## Examples

\`\`\`json
{ "olderThan": "90d" }
\`\`\``,
  effect: 'write',
  input: z.object({
    olderThan: z.string().max(10).optional().describe('Age since it was fetched: 90d, 12h, 6w'),
  }),
  output: z.object({ removed: z.array(fqdn) }),
  run: async ({ client }, { olderThan }) => cleanLock(await client(), olderThan),
})
