import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeRoughFolder, type RoughFolder } from '../../test/rough-folder.ts'
import {
  eager,
  inspectTools,
  isState,
  soon,
  startRough,
  still,
  until,
  type RoughStart,
} from '../../test/rough-supervision.ts'
import { startAndStop } from '../../test/start-stop-cycles.ts'
import { superviseServer } from './supervise/supervise-server.ts'
import type { SupervisedServer, Timing } from './supervise/supervised-server.ts'

const never = new AbortController().signal
const servers: SupervisedServer[] = []
let folder: RoughFolder

beforeEach(async () => {
  folder = await makeRoughFolder()
})

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(0)))
  expect(await folder.alive()).toEqual([])
  await folder.remove()
})

function supervise(
  manner: string,
  { timing = still, ...more }: { timing?: Timing } & Partial<RoughStart> = {},
): SupervisedServer {
  const server = superviseServer({
    name: 'rough',
    start: (signal) => startRough({ manner, cwd: folder.path, ...more }, signal),
    inspect: inspectTools,
    timing,
    now: () => new Date(),
  })
  servers.push(server)
  return server
}

async function call(server: SupervisedServer, tool: string, args = {}): Promise<unknown> {
  const session = await server.open(never)
  return session.callTool(tool, args, soon)
}

const echoed = { structuredContent: { a: 1 } }

describe('a server that', () => {
  test('never responds is offline after the timeout, and blocks no caller', async () => {
    const [silent, good] = [supervise('silent', { connectTimeoutMs: 1000 }), supervise('good')]
    const opening = silent.open(never).catch((error: unknown) => error)
    expect(await call(good, 'echo', { a: 1 })).toMatchObject(echoed)
    expect(silent.status).toMatchObject({ state: 'offline', reason: 'it is being started' })
    expect(await opening).toMatchObject({ code: 'server_failed' })
    expect(silent.status).toMatchObject({
      state: 'offline',
      reason: 'Cannot connect to rough: no answer within 1000 ms',
      errorCount: 1,
    })
  })

  test('writes to stderr only is offline after its time, with what it said', async () => {
    const server = supervise('chatty', { connectTimeoutMs: 1000 })
    expect(await server.check(never)).toMatchObject({
      state: 'offline',
      reason: expect.stringContaining('no answer within 1000 ms; it said: still thinking'),
    })
  })

  test('answers garbage between its answers is ready', async () => {
    const server = supervise('garbage')
    expect(await call(server, 'echo', { a: 1 })).toMatchObject(echoed)
    expect(server.status.state).toBe('ready')
  })

  test('floods stdout is ready, and blocks no caller', async () => {
    const [flooding, good] = [supervise('flood'), supervise('good')]
    expect(await call(flooding, 'echo', { a: 1 })).toMatchObject(echoed)
    expect(await call(good, 'echo', { a: 1 })).toMatchObject(echoed)
    expect(await flooding.check(never)).toMatchObject({ state: 'ready' })
    expect(await flooding.close(0)).toBe(true)
  })

  test('exits during a call fails all that wait, and serves the next', async () => {
    const server = supervise('good')
    const session = await server.open(never)
    const calls = [session.callTool('waits', {}, soon), session.callTool('dies', {}, soon)]
    for (const result of await Promise.allSettled(calls))
      expect(result).toMatchObject({
        reason: { code: 'server_failed', message: expect.stringContaining('it exited with code 7') },
      })
    expect(await call(server, 'echo', { a: 1 })).toMatchObject(echoed)
  })

  test('closes its stdout is no longer used', async () => {
    const server = supervise('good')
    const session = await server.open(never)
    const closing = session.callTool('closes-stdout', {}, soon).catch((error: unknown) => error)
    await expect.poll(() => session.exitReason(), { interval: 5 }).toBe('it closed its stdout')
    expect(await call(server, 'echo', { a: 1 })).toMatchObject(echoed)
    expect(await closing).toMatchObject({ code: 'server_failed' })
  })

  test('is killed for its hunger is started again', async () => {
    const server = supervise('good', { timing: eager })
    const calling = call(server, 'waits').catch((error: unknown) => error)
    await until(server, isState('ready'))
    const [pid = 0] = await folder.pids()
    process.kill(pid, 'SIGKILL')
    expect(await calling).toMatchObject({
      code: 'server_failed',
      message: 'Cannot call waits of rough: it was ended by SIGKILL',
    })
    expect(await until(server, isState('offline'))).toMatchObject({ reason: 'it was ended by SIGKILL' })
    await until(server, isState('ready'))
    expect(await call(server, 'echo', { a: 1 })).toMatchObject(echoed)
  })

  test('leaves daemons behind when it exits leaves none', async () => {
    const server = supervise('daemons')
    await call(server, 'dies').catch(() => {})
    expect(await folder.pids()).toHaveLength(3)
    await expect.poll(() => folder.alive()).toEqual([])
  })

  test('never stops telling of changed tools can be used', async () => {
    const server = supervise('fickle')
    for (let round = 0; round < 5; round++) expect(await call(server, 'echo', { a: 1 })).toMatchObject(echoed)
    expect(server.status.state).toBe('ready')
  })

  test('returns 50 MB is refused that, and stays usable', async () => {
    const server = supervise('good')
    await expect(call(server, 'enormous')).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('expected at most 16777216 bytes'),
    })
    expect(await call(server, 'echo', { a: 1 })).toMatchObject(echoed)
    expect(server.status).toMatchObject({ state: 'ready', errorCount: 0 })
    expect(await folder.read('starts')).toBe('.')
  })

  test.each(['future', 'strict-future'])('speaks a revision of the future says so: %s', async (manner) => {
    expect(await supervise(manner).check(never)).toMatchObject({
      state: 'offline',
      reason: expect.stringMatching(/^Cannot connect to rough: .*2099-01-01/),
    })
  })
})

test('1000 starts and stops leave no process and no descriptor', async () => {
  expect(await startAndStop(1000)).toEqual({ orphans: [], descriptors: 0 })
}, 300_000)
