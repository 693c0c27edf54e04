import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { fqdn, reference } from '../tool-shapes.ts'
import { rollBack } from '../verbs/roll-back.ts'

export default defineOwn({
  name: 'pml_rollback',
  description: `Lock the release of an entry again that was locked here before.

The release that is left counts as declined; "pml update" asks about it again.

## Examples

\`\`\`json
{ "name": "memory" }
\`\`\`
`,
  cli: { word: 'rollback' },
  effect: 'write',
  timeoutMs: 300_000,
  input: z.object({ name: reference }),
  output: z.object({ from: fqdn, to: fqdn }),
  run: async ({ client, person }, { name }) => {
    await person.refuseAgents({ what: `roll back ${name}`, command: `pml rollback ${name}` })
    return { ...(await rollBack(await client(), name)) }
  },
})
