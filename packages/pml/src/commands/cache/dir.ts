import { defineCommand } from '../command.ts'

export default defineCommand({
  description: 'Print the path of the cache.',
  effect: 'read',
  output: ({ z }) => z.object({ path: z.string() }),
  run: ({ ops }) => ({ path: ops.cacheHome }),
  print: ({ path }) => `${path}\n`,
})
