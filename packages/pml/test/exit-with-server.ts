// Opens a session and exits without closing it, as its arguments say.
import { killAllSync } from '../src/machine/owned-process.ts'
import { openSession } from '../src/mcp/mcp-session.ts'

const [way = '', server = ''] = process.argv.slice(2)
if (way !== 'carelessly') process.on('exit', killAllSync)
await openSession(
  {
    kind: 'stdio',
    command: process.execPath,
    args: [server, 'family'],
    cwd: process.cwd(),
    env: {},
    secrets: [],
  },
  {
    client: { name: 'test', version: '1' },
    connectTimeoutMs: 20_000,
    signal: new AbortController().signal,
    kill: (pid, signal) => process.kill(pid, signal),
    onStderr: () => {},
  },
)
if (way === 'by throwing') throw new Error('it broke')
process.exit(5)
