import { readdir, readFile } from 'node:fs/promises'
import { setImmediate as breathe } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openSession } from '../src/mcp/mcp-session.ts'
import { familyMark } from '../src/machine/owned-process.ts'
import { superviseServer } from '../src/servers/supervise/supervise-server.ts'
import { isAlive, kill } from './rough-folder.ts'
import { inspectTools, soon, still } from './rough-supervision.ts'

const smallServer = fileURLToPath(new URL('small-server.sh', import.meta.url))
const AT_ONCE = 4
/** The system closes descriptors slightly after it reports that a process has ended. */
const MOST_TURNS = 10_000

export interface Leftovers {
  /** Descendants of this process that are alive. */
  readonly orphans: readonly number[]
  /** The increase since the start. */
  readonly descriptors: number
}

/** Starts, calls and ends a small server this many times, and returns the leftovers. Linux only. */
export async function startAndStop(count: number): Promise<Leftovers> {
  await cycle()
  const before = await countDescriptors()
  let left = count
  const work = async () => {
    while (left-- > 0) await cycle()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  for (let turn = 0; turn < MOST_TURNS && (await countDescriptors()) > before; turn++) await breathe()
  return { orphans: await findMarked(), descriptors: Math.max(0, (await countDescriptors()) - before) }
}

async function cycle(): Promise<void> {
  const target = {
    kind: 'stdio',
    command: '/bin/sh',
    args: [smallServer],
    cwd: '/',
    env: {},
    secrets: [],
  } as const
  const client = { name: 'test', version: '1' }
  const server = superviseServer({
    name: 'small',
    start: (signal) =>
      openSession(target, { client, connectTimeoutMs: 20_000, signal, kill, onStderr: () => {} }),
    inspect: inspectTools,
    timing: still,
    now: () => new Date(),
  })
  const session = await server.open(soon.signal)
  await session.callTool('echo', {}, soon)
  if (!(await server.close(10_000))) throw new Error('expected a server without calls in flight')
}

async function countDescriptors(): Promise<number> {
  return (await readdir('/proc/self/fd')).length
}

async function findMarked(): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const isOurs = async (pid: number) =>
    (await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')).includes(familyMark()) &&
    (await isAlive(pid))
  const answers = await Promise.all(pids.map(isOurs))
  return pids.filter((_, index) => answers[index])
}
