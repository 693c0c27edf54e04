// Starts servers with a watch process. Then ends as its first argument says, or waits to be killed.
import { openSession } from '../src/mcp/mcp-session.ts'
import { watchParent } from '../src/machine/watch-parent.ts'

const [way = '', server = '', ...manners] = process.argv.slice(2)
const never = new AbortController().signal

async function start(manner: string) {
  const target = {
    command: process.execPath,
    args: [server, manner],
    cwd: process.cwd(),
    env: {},
    secrets: [],
  }
  return openSession(
    { kind: 'stdio', ...target },
    {
      client: { name: 'test', version: '1' },
      connectTimeoutMs: 20_000,
      signal: never,
      kill: (pid, signal) => process.kill(pid, signal),
      onStderr: () => {},
    },
  )
}

// Some of the servers are older than the watch.
const [first = '', ...others] = manners
const sessions = [await start(first)]
watchParent({ platform: process.platform, atExit: (work) => process.once('exit', work) })
for (const manner of others) sessions.push(await start(manner))
if (way === 'by closing') await Promise.all(sessions.map((session) => session.close()))
if (way === 'by exiting') process.exit(5)
process.stdout.write('ready')
