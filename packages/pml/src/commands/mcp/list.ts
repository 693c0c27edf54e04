import { PmlError } from '@pml/core'
import { limitsOf } from '../../calls/call-parts.ts'
import type { Client } from '../../calls/open-client.ts'
import { checkLocked, findLockedServers, showLocked } from '../../calls/registry-servers.ts'
import { serverInfo, showServer, type ShownServer } from '../../calls/server-shapes.ts'
import { printProblem } from '../../servers/discover/discover-servers.ts'
import type { Servers } from '../../servers/servers.ts'
import { defineCommand } from '../command.ts'
import { followServers, type LockedServers } from '../follow-servers.ts'
import { printServers, type ServerList } from '../print-servers.ts'

export default defineCommand({
  description: `Start local and locked servers, and show their status.

With --watch it keeps them running and shows them until Ctrl-C, including servers of files that are added.

## Examples

\`\`\`json
{}
\`\`\`

\`\`\`json
{ "watch": true }
\`\`\`
`,
  effect: 'write',
  input: ({ z }) =>
    z.object({ watch: z.boolean().default(false).describe('Keep running, and show every change') }),
  output: ({ z }) =>
    z.object({
      servers: z.array(serverInfo),
      places: z.array(z.string()).describe('Where files are looked for; earlier places win'),
      problems: z.array(z.string()),
    }),
  run: async ({ client, ops, signal, screen }, { watch }) => {
    const parts = await client({ mode: 'all' })
    const servers = await parts.servers()
    const locked = openLockedServers(parts, signal)
    const list = (): ServerList => ({
      servers: [...servers.list().map(showServer), ...locked.list()].sort((a, b) =>
        a.name < b.name ? -1 : 1,
      ),
      places: [...servers.places],
      problems: servers.problems.map(printProblem),
    })
    const starting = Promise.all([startLocal(servers), locked.check()])
    if (!watch) await starting
    else {
      starting.catch((error: unknown) => ops.tell(error instanceof Error ? error.message : String(error)))
      await followServers({ parts, servers, locked, signal, screen, list })
    }
    return list()
  },
  print: (list, layout) => printServers(list, layout),
})

/** A list without any files is empty, not an error. */
async function startLocal(servers: Servers): Promise<void> {
  await servers.init().catch((error: unknown) => {
    if (!(error instanceof PmlError) || error.code !== 'no_server_files') throw error
  })
}

function openLockedServers(parts: Client, signal: AbortSignal): LockedServers {
  let shown = new Map<string, ShownServer>()
  let onChange = () => {}
  return {
    list: () => [...shown.values()],
    onChange: (listener) => (onChange = listener),
    check: async () => {
      const entries = await findLockedServers(parts)
      shown = new Map([...shown].filter(([word]) => entries.has(word)))
      const put = (server: ShownServer) => {
        shown.set(server.name, server)
        onChange()
      }
      await Promise.all(
        Array.from(entries.values(), async (entry) => {
          put({ ...(await showLocked(parts, entry)), reason: 'it is being started' })
          put(await checkLocked(parts, entry, limitsOf({ signal })))
        }),
      )
    },
  }
}
