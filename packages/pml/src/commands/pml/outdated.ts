import { defineCommand } from '../command.ts'
import { findOutdated } from '../find-outdated.ts'

export default defineCommand({
  description: 'List locked entries for which the registry has another release now.',
  effect: 'read',
  output: ({ z, fqdn }) =>
    z.object({
      outdated: z.array(
        z.object({ locked: fqdn, current: fqdn.nullable().describe('Null: it was retired') }),
      ),
    }),
  run: async ({ client }) => {
    const found = await findOutdated(await client())
    return { outdated: found.map(({ locked, current }) => ({ locked, current })) }
  },
})
