import { PmlError } from '@pml/core'
import type { OwnContext } from '../own-tools.ts'
import { printServerLine } from '../print-servers.ts'
import { showServer, type ShownServer } from '../server-shapes.ts'
import { printProblem } from '../servers/print-problem.ts'
import type { Servers } from '../servers/servers.ts'

interface ServerList {
  readonly servers: ShownServer[]
  readonly places: string[]
  readonly problems: string[]
}

/** All of them started at once and looked at; with `watch` until somebody has seen enough. */
export async function listServers(
  { client, ops, signal }: Pick<OwnContext, 'client' | 'ops' | 'signal'>,
  { watch }: { watch: boolean },
): Promise<ServerList> {
  const servers = await (await client({ mode: 'all' })).servers()
  const starting = servers.init().catch((error: unknown) => {
    // Where nothing is, the list is empty and says where it looked.
    if (!(error instanceof PmlError) || error.code !== 'no_server_files') throw error
  })
  await (watch ? tellChanges(servers, { tell: ops.tell, signal }) : starting)
  return {
    servers: servers.list().map(showServer),
    places: [...servers.places],
    problems: servers.problems.map(printProblem),
  }
}

const LONG_MS = 1_000_000

interface Watching {
  tell(message: string): void
  readonly signal: AbortSignal
}

async function tellChanges(servers: Servers, { tell, signal }: Watching): Promise<void> {
  const told = new Map<string, string>()
  const nameWidth = Math.max(0, ...servers.list().map(({ name }) => name.length))
  const tellNews = () => {
    for (const server of servers.list().map(showServer)) {
      const { name, status, reason, tools } = server
      const news = JSON.stringify([status, reason, tools])
      if (told.get(name) !== news) tell(printServerLine(server, nameWidth))
      told.set(name, news)
    }
  }
  tell(printServerLine(undefined, nameWidth))
  tellNews()
  const stop = servers.onChange(tellNews)
  // Between the end of a server and its next start nothing else keeps this process here.
  const staying = setInterval(() => {}, LONG_MS)
  await new Promise<void>((done) => {
    if (signal.aborted) done()
    signal.addEventListener('abort', () => done(), { once: true })
  })
  clearInterval(staying)
  stop()
}
