import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { serverInfo, serverWord, showServer } from '../server-shapes.ts'

export default defineOwn({
  name: 'server_get',
  description: 'Show what is known of one server, without starting it.',
  cli: { category: 'mcp', name: 'get' },
  effect: 'read',
  input: z.object({ name: serverWord }),
  output: serverInfo,
  run: async ({ client }, { name }) => showServer((await (await client()).servers()).get(name)),
})
