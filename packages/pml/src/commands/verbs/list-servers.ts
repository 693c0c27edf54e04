import { PmlError } from '@pml/core'
import { limitsOf, type CallParts } from '../../calls/call-parts.ts'
import type { OwnContext, Screen } from '../own-tools.ts'
import { printServerLine, printServers } from '../print-servers.ts'
import { showServer, type ShownServer } from '../../calls/server-shapes.ts'
import { printProblem } from '../../servers/discover/discover-servers.ts'
import { checkLocked, findLockedServers, showLocked } from '../../calls/registry-servers.ts'
import type { Servers } from '../../servers/servers.ts'
import { LOOK_EVERY_MS, watchFiles } from '../../servers/discover/watch-files.ts'

interface ServerList {
  readonly servers: ShownServer[]
  readonly places: string[]
  readonly problems: string[]
}

type Context = Pick<OwnContext, 'client' | 'ops' | 'signal' | 'screen'>

/** All of them started at once and looked at: those that files describe and those that are locked. With `watch` until a person has seen enough. */
export async function listServers(
  { client, ops, signal, screen }: Context,
  { watch }: { watch: boolean },
): Promise<ServerList> {
  const parts = await client({ mode: 'all' })
  const servers = await parts.servers()
  const locked = openLockedBoard(parts, signal)
  const list = (): ServerList => ({
    servers: [...servers.list().map(showServer), ...locked.list()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    places: [...servers.places],
    problems: servers.problems.map(printProblem),
  })
  const starting = Promise.all([startLocal(servers), locked.check()])
  if (!watch) await starting
  else {
    starting.catch((error: unknown) => ops.tell(error instanceof Error ? error.message : String(error)))
    await followChanges({
      parts,
      servers,
      locked,
      signal,
      show: screen ? paintOn(screen) : tellOn(ops),
      list,
    })
  }
  return list()
}

async function startLocal(servers: Servers): Promise<void> {
  await servers.init().catch((error: unknown) => {
    // Where nothing is, the list is empty and says where it looked.
    if (!(error instanceof PmlError) || error.code !== 'no_server_files') throw error
  })
}

interface LockedBoard {
  list(): ShownServer[]
  /** Starts those that are locked now. */
  check(): Promise<void>
  onChange(listener: () => void): void
}

function openLockedBoard(parts: CallParts, signal: AbortSignal): LockedBoard {
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

/** Shows a list, and takes it away at the end so that the last one can stand in its place. */
interface Shown {
  show(list: ServerList): void
  end(): void
}

const LONG_MS = 1_000_000

interface Following {
  readonly parts: CallParts
  readonly servers: Servers
  readonly locked: LockedBoard
  readonly signal: AbortSignal
  readonly show: Shown
  list(): ServerList
}

async function followChanges({ parts, servers, locked, signal, show, list }: Following): Promise<void> {
  const news = () => show.show(list())
  const complain = (error: unknown) => parts.tell(error instanceof Error ? error.message : String(error))
  news()
  locked.onChange(news)
  const stop = servers.onChange(news)
  const unwatch = await Promise.all([
    watchFiles(servers.places, {
      lookEveryMs: LOOK_EVERY_MS,
      onChange: () => void servers.reload().then(news).catch(complain),
    }),
    watchFiles([parts.files.lock], {
      lookEveryMs: LOOK_EVERY_MS,
      onChange: () => void locked.check().then(news).catch(complain),
    }),
  ])
  // Between the end of a server and its next start nothing else keeps this process here.
  const staying = setInterval(() => {}, LONG_MS)
  await new Promise<void>((done) => {
    if (signal.aborted) done()
    signal.addEventListener('abort', () => done(), { once: true })
  })
  clearInterval(staying)
  stop()
  locked.onChange(() => {})
  for (const close of unwatch) await close()
  show.end()
}

/** A line for each server that changed, where lines go into a file or a pipe. */
function tellOn({ tell }: Pick<OwnContext['ops'], 'tell'>): Shown {
  const told = new Map<string, string>()
  let nameWidth: number | undefined
  return {
    show: ({ servers }) => {
      if (nameWidth === undefined) {
        nameWidth = Math.max(0, ...servers.map(({ name }) => name.length))
        tell(printServerLine(undefined, nameWidth))
      }
      for (const server of servers) {
        const { name, status, reason, tools } = server
        const news = JSON.stringify([status, reason, tools])
        if (told.get(name) !== news) tell(printServerLine(server, nameWidth))
        told.set(name, news)
      }
      for (const name of told.keys())
        if (!servers.some((server) => server.name === name)) {
          told.delete(name)
          tell(`${name}  is gone`)
        }
    },
    end: () => {},
  }
}

/** The same table in the same place of a terminal. */
function paintOn({ write, width }: Screen): Shown {
  let height = 0
  const clear = () => {
    if (height > 0) write(`\u{1b}[${height}A\r\u{1b}[J`)
    height = 0
  }
  return {
    show: (list) => {
      const lines = printServers(list, { width, hasColor: false }).trimEnd().split('\n')
      clear()
      // A line that wraps would take two.
      write(lines.map((line) => `${line.slice(0, width - 1)}\n`).join(''))
      height = lines.length
    },
    end: clear,
  }
}
