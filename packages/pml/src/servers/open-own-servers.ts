import type { ServerParts } from './server-parts.ts'
import { stateHomeOf } from '../machine/ops.ts'
import { mayStartAtOnce } from './discover/consent.ts'
import { discoverServers } from './discover/discover-servers.ts'
import { openServers } from './open-servers.ts'
import { openServerLog, serverLogFile, type ServerLog } from './supervise/server-log.ts'
import { serverPlacesOf } from '../workspace/server-places.ts'
import { openServerSwitches, serverSwitchesFileOf } from './discover/server-switches.ts'
import type { Servers } from './servers.ts'
import { timings } from './supervise/servers-mode.ts'

/** The servers that files on this machine describe, found and read. */
export async function openOwnServers(parts: ServerParts): Promise<Servers> {
  const { ops, files, mode } = parts
  const stateHome = stateHomeOf(ops.env, ops.platform)
  const logs = new Map<string, ServerLog>()
  const logOf = (name: string) => {
    const log = logs.get(name) ?? openServerLog({ file: serverLogFile(stateHome, name), now: ops.now })
    logs.set(name, log)
    return log
  }
  const places = serverPlacesOf(ops, files.root)
  return openServers({
    parts,
    discover: () => discoverServers(places),
    switches: openServerSwitches(serverSwitchesFileOf(ops)),
    timing: timings[mode],
    mode,
    mayStart: (found) => mayStartAtOnce(parts, found),
    logOf,
    flushLogs: async () => void (await Promise.all(Array.from(logs.values(), (log) => log.flush()))),
  })
}
