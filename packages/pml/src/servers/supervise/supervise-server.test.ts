import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeRoughFolder, type RoughFolder } from '../../../test/rough-folder.ts'
import {
  eager,
  inspectTools,
  isState,
  soon,
  startRough,
  still,
  until,
} from '../../../test/rough-supervision.ts'
import { superviseServer } from './supervise-server.ts'
import type { SupervisedServer, Supervision } from './supervised-server.ts'

const never = new AbortController().signal
const servers: SupervisedServer[] = []
let folder: RoughFolder
let nowMs: number

beforeEach(async () => {
  folder = await makeRoughFolder()
  nowMs = Date.parse('2026-11-17T12:00:00Z')
})

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(0)))
  expect(await folder.alive()).toEqual([])
  await folder.remove()
})

function supervise(manner: string, more: Partial<Supervision> = {}): SupervisedServer {
  const server = superviseServer({
    name: 'rough',
    start: (signal) => startRough({ manner, cwd: folder.path }, signal),
    inspect: inspectTools,
    timing: still,
    now: () => new Date(nowMs),
    ...more,
  })
  servers.push(server)
  return server
}

async function call(server: SupervisedServer, tool: string, args = {}): Promise<unknown> {
  const session = await server.open(never)
  return session.callTool(tool, args, soon)
}

const countStarts = async () => (await folder.read('starts')).length

describe('a server is started', () => {
  test('once for all who wait, and is ready', async () => {
    const server = supervise('good')
    expect(server.status).toMatchObject({
      state: 'offline',
      reason: 'it has not been started yet',
      errorCount: 0,
    })
    const opening = [server.open(never), server.open(never)]
    expect(server.status).toMatchObject({ state: 'offline', reason: 'it is being started' })
    for (const session of await Promise.all(opening))
      expect(await session.callTool('echo', { a: 1 }, soon)).toMatchObject({ structuredContent: { a: 1 } })
    await server.open(never)
    expect(await countStarts()).toBe(1)
    expect(server.status).toMatchObject({
      state: 'ready',
      reason: '',
      since: '2026-11-17T12:00:00.000Z',
      latencyMs: expect.any(Number),
      checkedAt: '2026-11-17T12:00:00.000Z',
      isRunning: true,
      serverInfo: { name: 'rough' },
      errorCount: 0,
    })
    expect(server.inspection?.tools.map(({ name }) => name)).toEqual(['b', 'a'])
  })

  test('for those who still wait, when others do not', async () => {
    const server = supervise('good')
    const stop = new AbortController()
    const [given, kept] = [server.open(stop.signal), server.open(never)]
    stop.abort()
    await expect(given).rejects.toMatchObject({
      code: 'cancelled',
      message: 'Cannot use rough: it was cancelled',
    })
    expect((await kept).era).toBe('legacy')
    expect(getEventListeners(stop.signal, 'abort')).toEqual([])
  })

  test('no longer, when no caller waits; that is no error', async () => {
    const server = supervise('silent')
    const stop = new AbortController()
    const opening = server.open(stop.signal)
    await expect.poll(countStarts).toBe(1)
    stop.abort()
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' })
    expect(server.status).toMatchObject({ reason: 'it has not been started yet', errorCount: 0 })
    await expect.poll(() => folder.alive()).toEqual([])
  })

  test('for a check, which calls no tool', async () => {
    const server = supervise('good')
    expect(await server.check(never)).toMatchObject({ state: 'ready' })
    expect(await folder.read('heard')).toBe(
      'initialize notifications/initialized tools/list tools/list ping ',
    )
  })
})

describe('a session is inspected', () => {
  test('before its first use: a concern makes it degraded', async () => {
    const server = supervise('good', { inspect: async () => ({ tools: [], concerns: ['one', 'two'] }) })
    await server.open(never)
    expect(server.status).toMatchObject({ state: 'degraded', reason: 'one; two', isRunning: true })
  })

  test('and nobody gets it when that fails', async () => {
    const inspectBadly = () => Promise.reject(new Error('it is not what was agreed to'))
    const server = supervise('good', { inspect: inspectBadly })
    await expect(server.open(never)).rejects.toThrow('it is not what was agreed to')
    expect(server.status).toMatchObject({
      state: 'offline',
      reason: 'it is not what was agreed to',
      errorCount: 1,
    })
    expect(await folder.alive()).toEqual([])
  })

  test('and nobody waits for the end of that when the server ends before', async () => {
    const server = supervise('good', {
      inspect: (session) => {
        void session.callTool('dies', {}, soon).catch(() => {})
        return new Promise(() => {})
      },
    })
    await expect(server.open(never)).rejects.toMatchObject({
      code: 'server_failed',
      message: 'Cannot use rough: it exited with code 7',
    })
  })

  test('again when its tools change; later callers wait for that', async () => {
    let looks = 0
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const server = supervise('good', {
      inspect: async (session) => {
        if (++looks === 2) await gate
        return inspectTools(session)
      },
    })
    const session = await server.open(never)
    await session.callTool('retools', {}, soon)
    await expect.poll(() => looks).toBe(2)
    let isOpen = false
    const opening = server.open(never).then(() => (isOpen = true))
    // However often they change meanwhile, one more look sees it all.
    for (let round = 0; round < 3; round++) await session.callTool('retools', {}, soon)
    await session.callTool('echo', {}, soon)
    expect(isOpen).toBe(false)
    release()
    await opening
    await server.open(never)
    expect(server.inspection?.tools.map(({ name }) => name)).toEqual([
      'b',
      'a',
      'new0',
      'new1',
      'new2',
      'new3',
    ])
    expect(looks).toBe(3)
  })

  test('for no caller, if it was cancelled meanwhile', async () => {
    const gates: (() => void)[] = []
    const server = supervise('good', {
      inspect: async () => {
        await new Promise<void>((resolve) => gates.push(resolve))
        return { tools: [], concerns: [] }
      },
    })
    const stop = new AbortController()
    const opening = server.open(stop.signal)
    await expect.poll(() => gates.length).toBe(1)
    stop.abort()
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' })
    // The first look never comes to an end.
    const again = server.open(never)
    await expect.poll(() => gates.length).toBe(2)
    expect(server.status).toMatchObject({ state: 'offline', isRunning: false })
    gates[1]?.()
    expect(await (await again).callTool('echo', { a: 1 }, soon)).toMatchObject({
      structuredContent: { a: 1 },
    })
  })

  test('again, and is ended when that fails', async () => {
    let count = 0
    const server = supervise('good', {
      inspect: (session) =>
        count++ === 0 ? inspectTools(session) : Promise.reject(new Error('it has changed')),
    })
    // Its end may come before the answer.
    await call(server, 'retools').catch(() => {})
    expect(await until(server, isState('offline'))).toMatchObject({ reason: 'it has changed', errorCount: 1 })
  })
})

describe('the health of a server', () => {
  test('is degraded by one missed check, and mends by itself with the next', async () => {
    const server = supervise('good', { timing: { ...still, checkTimeoutMs: 300 } })
    await call(server, 'ignores', { checks: 1 })
    nowMs += 1000
    expect(await server.check(never)).toMatchObject({
      state: 'degraded',
      reason: 'Cannot check rough: no answer within 300 ms',
      since: '2026-11-17T12:00:01.000Z',
      errorCount: 1,
      isRunning: true,
    })
    nowMs += 1000
    const [status] = await Promise.all([server.check(never), server.check(never)])
    expect(status).toMatchObject({ state: 'ready', since: '2026-11-17T12:00:02.000Z', errorCount: 1 })
    nowMs += 1000
    expect(await server.check(never)).toMatchObject({
      since: '2026-11-17T12:00:02.000Z',
      checkedAt: '2026-11-17T12:00:03.000Z',
    })
  })

  test('is forgotten after the next response: only consecutive misses count', async () => {
    const server = supervise('good', { timing: { ...still, checkTimeoutMs: 300, failuresToOpen: 2 } })
    await call(server, 'ignores', { checks: 1 })
    expect(await server.check(never)).toMatchObject({ state: 'degraded' })
    expect(await server.check(never)).toMatchObject({ state: 'ready' })
    const session = await server.open(never)
    // What comes with an answer to a call counts as well, hence none here.
    void session.callTool('hangs', {}, soon).catch(() => {})
    expect(await server.check(never)).toMatchObject({ state: 'degraded', isRunning: true, errorCount: 2 })
  })

  test('mends with an answer to a call as well', async () => {
    const server = supervise('good', { timing: { ...still, checkTimeoutMs: 300 } })
    await call(server, 'ignores', { checks: 1 })
    expect(await server.check(never)).toMatchObject({ state: 'degraded' })
    await call(server, 'echo')
    expect(server.status).toMatchObject({ state: 'ready' })
  })

  test('is supervised without a call', async () => {
    const server = supervise('good', { timing: { ...still, checkEveryMs: 10 } })
    await server.open(never)
    const { checkedAt } = server.status
    nowMs += 1000
    await until(server, (status) => status.checkedAt !== checkedAt)
    expect(await folder.read('heard')).toContain('ping')
  })

  test('is asked for when a call gets no answer in time', async () => {
    const server = supervise('good', { timing: { ...still, checkTimeoutMs: 300 } })
    const session = await server.open(never)
    const calling = session.callTool('hangs', {}, { ...soon, timeoutMs: 100 })
    await expect(calling).rejects.toMatchObject({ code: 'tool_timeout' })
    expect(await until(server, isState('degraded'))).toMatchObject({ errorCount: 1 })
  })

  test('is not asked for while it works on calls', async () => {
    const server = supervise('good', { timing: { ...still, checkEveryMs: 10 } })
    const session = await server.open(never)
    await expect.poll(() => folder.read('heard')).toContain('ping')
    const before = (await folder.read('heard')).split('tools/call')[0]
    await session.callTool('tarries', {}, soon)
    const during = /tools\/call(.*)answered/.exec(await folder.read('heard'))?.[1]
    expect(before).toContain('ping')
    expect(during?.trim()).toBe('')
  })
})

describe('a server that fails again and again', () => {
  const refusal = {
    code: 'server_failed',
    message: expect.stringMatching(
      /^Cannot use rough: it failed \d times in a row, the last time: Cannot .+; next attempt after 2026-/,
    ),
  }

  test('to answer checks is ended, and refused at once until it is tried again', async () => {
    const server = supervise('stubborn', { timing: { ...still, checkTimeoutMs: 100 } })
    const session = await server.open(never)
    void session.callTool('hangs', {}, soon).catch(() => {})
    for (let round = 0; round < 3; round++) await server.check(never)
    expect(server.status).toMatchObject({
      state: 'offline',
      reason: expect.stringMatching(
        /^it failed 3 times in a row, the last time: Cannot check rough: no answer/,
      ),
      errorCount: 3,
      isRunning: false,
    })
    await expect(server.open(never)).rejects.toMatchObject(refusal)
    await session.closed
    expect(await folder.alive()).toEqual([])
    nowMs += 4000
    await server.open(never)
    expect(server.status).toMatchObject({ state: 'ready', errorCount: 3 })
  })

  test('to start is refused at once, tried once after each pause, and left alone for twice as long', async () => {
    const server = supervise('crash', { timing: { ...still, longestBackoffMs: 10_000 } })
    for (let round = 0; round < 3; round++)
      await expect(server.open(never)).rejects.toMatchObject({
        code: 'server_failed',
        message: expect.stringMatching(/^Cannot connect to rough: it exited with code 3/),
      })
    for (const [failures, longestMs] of [
      [3, 4000],
      [4, 8000],
      [5, 10_000],
      [6, 10_000],
    ] as const) {
      const pauseMs = Date.parse(/after (\S+)$/.exec(server.status.reason)?.[1] ?? '') - nowMs
      expect(pauseMs).toBeGreaterThanOrEqual(longestMs * 0.9)
      expect(pauseMs).toBeLessThanOrEqual(longestMs)
      nowMs += pauseMs - 1
      await expect(server.open(never)).rejects.toMatchObject(refusal)
      expect(await server.check(never)).toMatchObject({ state: 'offline', errorCount: failures })
      expect(await countStarts()).toBe(failures)
      nowMs += 1
      const tries = await Promise.allSettled([server.open(never), server.open(never)])
      expect(tries).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
      expect(await countStarts()).toBe(failures + 1)
    }
  })

  test('is not kept out by a clock that was set back', async () => {
    const server = supervise('crash')
    for (let round = 0; round < 3; round++) await server.check(never)
    nowMs -= 3_600_000
    await server.check(never)
    expect(await countStarts()).toBe(4)
  })

  test('after starts that succeed is refused as well', async () => {
    const server = supervise('good')
    for (let round = 0; round < 3; round++)
      await expect(call(server, 'dies')).rejects.toMatchObject({ code: 'server_failed' })
    await expect(server.open(never)).rejects.toMatchObject({
      message: expect.stringContaining('it failed 3 times in a row, the last time: it exited with code 7'),
    })
    expect(await countStarts()).toBe(3)
  })

  test('is forgiven when it has worked for longer than its last pause', async () => {
    const server = supervise('good')
    for (let round = 0; round < 5; round++) {
      await server.open(never)
      nowMs += 4000
      await call(server, 'echo')
      await call(server, 'dies').catch(() => {})
    }
    expect(await until(server, isState('offline'))).toMatchObject({
      reason: 'it exited with code 7',
      errorCount: 5,
    })
    await server.open(never)
    expect(await countStarts()).toBe(6)
  })
})

describe('a server that is to run always', () => {
  test('is started again whenever it ends', async () => {
    const server = supervise('good', { timing: eager })
    const session = await server.open(never)
    await expect(session.callTool('dies', {}, soon)).rejects.toMatchObject({ code: 'server_failed' })
    expect(await until(server, isState('offline'))).toMatchObject({ reason: 'it exited with code 7' })
    expect(await until(server, isState('ready'))).toMatchObject({ errorCount: 1, isRunning: true })
    expect(await countStarts()).toBe(2)
  })

  test('is tried until it starts, however often it failed', async () => {
    const server = supervise('recovers', { timing: eager })
    await expect(server.open(never)).rejects.toMatchObject({ code: 'server_failed' })
    await until(server, ({ reason }) => reason.startsWith('it failed 3 times in a row'))
    expect(await until(server, isState('ready'))).toMatchObject({ errorCount: 4 })
    expect(await countStarts()).toBe(5)
  })

  test('keeps starting when its caller leaves', async () => {
    const server = supervise('good', { timing: eager })
    await expect(server.open(AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
    await until(server, isState('ready'))
  })

  test('stays down once it is closed', async () => {
    let starts = 0
    const startCounted = (signal: AbortSignal) => {
      starts++
      return startRough({ manner: 'crash', cwd: folder.path }, signal)
    }
    const server = supervise('crash', { timing: eager, start: startCounted })
    await server.check(never)
    await server.close(0)
    expect(await server.check(never)).toMatchObject({ state: 'offline', reason: 'it is closed' })
    // Another one that fails in the same way is tried again meanwhile.
    const other = supervise('crash', { timing: eager })
    await other.check(never)
    await until(other, (status) => status.errorCount > 3)
    expect(server.status).toMatchObject({ reason: 'it is closed' })
    expect(starts).toBe(1)
  })
})

describe('a server that is not called', () => {
  test('is ended after a while, which is no error, and started again by the next call', async () => {
    const server = supervise('good', { timing: { ...still, idleMs: 50 } })
    await call(server, 'echo')
    expect(await until(server, isState('offline'))).toMatchObject({
      reason: 'it was idle; the next call starts it',
      errorCount: 0,
      isRunning: false,
    })
    expect(server.inspection?.tools).toHaveLength(2)
    await call(server, 'echo')
    expect(await countStarts()).toBe(2)
  })

  test('is not one that works on a call', async () => {
    const server = supervise('good', { timing: { ...still, idleMs: 50 } })
    const session = await server.open(never)
    const calling = session.callTool('tarries', { a: 1 }, soon)
    await session.callTool('echo', {}, soon)
    expect(await calling).toMatchObject({ structuredContent: { a: 1 } })
  })

  test('is not one with a caller that waits for its inspection', async () => {
    let looks = 0
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const timing = { ...still, idleMs: 50 }
    const server = supervise('good', {
      timing,
      inspect: async (session) => {
        if (++looks === 2) await gate
        return inspectTools(session)
      },
    })
    await call(server, 'retools')
    await expect.poll(() => looks, { interval: 5 }).toBe(2)
    const calling = call(server, 'echo', { a: 1 })
    // Another one that nobody calls is ended meanwhile.
    const other = supervise('good', { timing })
    await other.open(never)
    await until(other, ({ reason }) => reason.startsWith('it was idle'))
    release()
    expect(await calling).toMatchObject({ structuredContent: { a: 1 } })
    expect(await countStarts()).toBe(2)
  })

  test('is gone before it is started again', async () => {
    const alive: number[][] = []
    const server = supervise('terminated', {
      timing: { ...still, idleMs: 50 },
      start: async (signal) => {
        alive.push(await folder.alive())
        return startRough({ manner: 'terminated', cwd: folder.path }, signal)
      },
    })
    await server.open(never)
    await until(server, isState('offline'))
    await server.open(never)
    expect(alive).toEqual([[], []])
  })
})

describe('closing', () => {
  test('lets calls in flight finish, and takes no new ones', async () => {
    const server = supervise('good')
    const session = await server.open(never)
    const calling = session.callTool('tarries', { a: 1 }, soon)
    const closing = server.close(20_000)
    const refused = { code: 'cancelled', message: 'Cannot use rough: it is closed' }
    await expect(session.callTool('echo', {}, soon)).rejects.toMatchObject(refused)
    await expect(server.open(never)).rejects.toMatchObject(refused)
    expect(server.status).toMatchObject({ state: 'offline', reason: 'it is closed' })
    expect(await calling).toMatchObject({ structuredContent: { a: 1 } })
    expect(await closing).toBe(true)
    expect(await folder.alive()).toEqual([])
  })

  test.each(['stubborn', 'family'])(
    'cuts off what takes too long, and leaves nothing of a %s server',
    async (manner) => {
      const server = supervise(manner)
      const session = await server.open(never)
      const calling = session.callTool('waits', {}, soon).catch((error: unknown) => error)
      expect(await server.close(50)).toBe(false)
      expect(await calling).toMatchObject({ code: 'cancelled' })
      expect(await folder.alive()).toEqual([])
    },
  )

  test('in haste does not wait for those who were given time', async () => {
    const server = supervise('good')
    const session = await server.open(never)
    const calling = session.callTool('waits', {}, soon).catch((error: unknown) => error)
    const closing = server.close(1e8)
    expect(await server.close(0)).toBe(false)
    expect(await closing).toBe(false)
    expect(await calling).toMatchObject({ code: 'cancelled' })
  })

  test('ends a start, and rejects its callers', async () => {
    const server = supervise('silent')
    const opening = server.open(never).catch((error: unknown) => error)
    await expect.poll(countStarts).toBe(1)
    expect(await server.close(1e8)).toBe(true)
    expect(await folder.alive()).toEqual([])
    expect(await opening).toMatchObject({ code: 'cancelled', message: 'Cannot use rough: it is closed' })
  })

  test('waits for a run that is already ending', async () => {
    const server = supervise('stubborn', { timing: { ...still, idleMs: 50 } })
    await server.open(never)
    await until(server, isState('offline'))
    expect(await server.close(0)).toBe(true)
    expect(await folder.alive()).toEqual([])
  })

  test('a server that never ran closes at once', async () => {
    const server = supervise('good')
    expect(await server.close(1e8)).toBe(true)
    expect(server.status).toMatchObject({ reason: 'it is closed' })
  })
})
