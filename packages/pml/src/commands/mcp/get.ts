import { findLockedServer, findLockedServers, showLocked } from '../../calls/registry-servers.ts'
import { serverInfo, serverWord, showServer } from '../../calls/server-shapes.ts'
import { serverNotFound } from '../../servers/discover/server-errors.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Show one server without starting it.

## Examples

\`\`\`json
{ "name": "memory" }
\`\`\`
`,
  effect: 'read',
  input: ({ z }) => z.object({ name: serverWord }),
  output: () => serverInfo,
  run: async ({ client }, { name }) => {
    const parts = await client()
    const locked = await findLockedServer(parts, name)
    if (locked) return showLocked(parts, locked)
    const servers = await parts.servers()
    const known = servers.list().map((server) => server.name)
    if (!known.includes(name))
      throw serverNotFound(name, [...known, ...(await findLockedServers(parts)).keys()])
    return showServer(servers.get(name))
  },
})
