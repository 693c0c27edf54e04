import type { Client } from '../calls/open-client.ts'
import type { ShownServer } from '../calls/server-shapes.ts'
import { LOOK_EVERY_MS, watchFiles } from '../servers/discover/watch-files.ts'
import type { Servers } from '../servers/servers.ts'
import type { Screen } from './command.ts'
import { printServerLine, printServers, type ServerList } from './print-servers.ts'

/** Locked servers of the registry. */
export interface LockedServers {
  list(): ShownServer[]
  /** Starts and checks those that are locked now. */
  check(): Promise<void>
  onChange(listener: () => void): void
}

interface Following {
  readonly parts: Client
  readonly servers: Servers
  readonly locked: LockedServers
  readonly signal: AbortSignal
  readonly screen: Screen | undefined
  list(): ServerList
}

const LONG_MS = 1_000_000

/** Shows the list of servers and every change of it until the signal is aborted. */
export async function followServers(following: Following): Promise<void> {
  const { parts, servers, locked, signal, screen, list } = following
  const shown = screen ? showOnScreen(screen) : showAsLines(parts.tell)
  const refresh = () => shown.show(list())
  refresh()
  locked.onChange(refresh)
  const stop = servers.onChange(refresh)
  const unwatch = await watchPlaces(following, refresh)
  await untilAborted(signal)
  stop()
  locked.onChange(() => {})
  for (const close of unwatch) await close()
  shown.end()
}

function watchPlaces({ parts, servers, locked }: Following, refresh: () => void) {
  const complain = (error: unknown) => parts.tell(error instanceof Error ? error.message : String(error))
  return Promise.all([
    watchFiles(servers.places, {
      lookEveryMs: LOOK_EVERY_MS,
      onChange: () => void servers.reload().then(refresh).catch(complain),
    }),
    watchFiles([parts.files.lock], {
      lookEveryMs: LOOK_EVERY_MS,
      onChange: () => void locked.check().then(refresh).catch(complain),
    }),
  ])
}

/** Keeps the process alive: nothing else does between the exit of a server and its restart. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  const staying = setInterval(() => {}, LONG_MS)
  await new Promise<void>((done) => {
    if (signal.aborted) done()
    signal.addEventListener('abort', () => done(), { once: true })
  })
  clearInterval(staying)
}

interface Shown {
  show(list: ServerList): void
  /** Clears the list, so that the final one can take its place. */
  end(): void
}

/** Writes a line for each server that changed, for files and pipes. */
function showAsLines(tell: (text: string) => void): Shown {
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
        const state = JSON.stringify([status, reason, tools])
        if (told.get(name) !== state) tell(printServerLine(server, nameWidth))
        told.set(name, state)
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

/** Redraws the table in the same place of a terminal. */
function showOnScreen({ write, width }: Screen): Shown {
  let height = 0
  const clear = () => {
    if (height > 0) write(`\u{1b}[${height}A\r\u{1b}[J`)
    height = 0
  }
  return {
    show: (list) => {
      const lines = printServers(list, { width, hasColor: false }).trimEnd().split('\n')
      clear()
      // A wrapped line would take two.
      write(lines.map((line) => `${line.slice(0, width - 1)}\n`).join(''))
      height = lines.length
    },
    end: clear,
  }
}
