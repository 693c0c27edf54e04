import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { kill, makeRoughFolder, roughServer, type RoughFolder } from '../../test/rough-folder.ts'
import { openSession, type McpSession, type SessionOptions, type StdioTarget } from './mcp-session.ts'

const never = new AbortController().signal
const soon = { signal: never, timeoutMs: 20_000 }
const sessions: McpSession[] = []
let folder: RoughFolder
let said: string[]

beforeEach(async () => {
  folder = await makeRoughFolder()
  said = []
})

afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()))
  await folder.remove()
})

async function open(
  manner: string,
  { target, ...options }: Partial<SessionOptions> & { target?: Partial<StdioTarget> } = {},
): Promise<McpSession> {
  const session = await openSession(
    {
      kind: 'stdio',
      command: process.execPath,
      args: [roughServer, manner],
      cwd: folder.path,
      env: { PATH: '/nowhere', LANG: 'C.UTF-8' },
      secrets: [],
      ...target,
    },
    {
      server: 'rough',
      client: { name: 'test', version: '1' },
      connectTimeoutMs: 20_000,
      signal: never,
      kill,
      onStderr: (line) => said.push(line),
      ...options,
    },
  )
  sessions.push(session)
  return session
}

describe('a session', () => {
  test('knows what the server says about itself', async () => {
    const { serverInfo, instructions, protocolVersion } = await open('good')
    expect(serverInfo).toMatchObject({ name: 'rough', version: '1' })
    expect(instructions).toBe('Be patient')
    expect(protocolVersion).toMatch(/^20\d\d-/)
  })

  test('lists the tools of every page with every part of them, known to the protocol or not', async () => {
    const tools = await (await open('good')).listTools(soon)
    expect(tools.map(({ name }) => name)).toEqual(['b', 'a'])
    expect(tools[0]).toMatchObject({
      'x-more': [1],
      inputSchema: { type: 'object', $comment: 'kept' },
      annotations: { other: true },
    })
  })

  test('gives a server the environment that it was meant to have, and a mark to find its children by', async () => {
    const [tool] = await (await open('good')).listTools(soon)
    expect(tool?.description).toBe('LANG,PATH,PML_PROCESS_MARK')
  })

  test('does not follow a list without end', async () => {
    await expect((await open('endless')).listTools(soon)).rejects.toMatchObject({
      code: 'server_failed',
      message: expect.stringContaining('Cannot list the tools of rough: expected at most 100 pages'),
    })
  })

  test('calls a tool and gives its whole result', async () => {
    const session = await open('good')
    expect(await session.callTool('echo', { a: '€' }, soon)).toEqual({
      content: [{ type: 'text', text: '{"a":"€"}' }, { type: 'from the future' }],
      structuredContent: { a: '€' },
      isError: false,
    })
    expect(await session.callTool('fails', {}, soon)).toMatchObject({ isError: true })
  })

  test('keeps non-text results unchanged, object or not', async () => {
    expect(await (await open('good')).callTool('lists', {}, soon)).toEqual({
      content: [],
      structuredContent: [1, 2],
      isError: false,
      _meta: { 'x.example/cost': 3 },
    })
  })

  test.each([
    ['good', 'legacy', 'initialize notifications/initialized ping '],
    ['modern', 'modern', 'initialize server/discover tools/list '],
  ])('asks a %s server for a sign of life by the means of its era', async (manner, era, heard) => {
    const session = await open(manner)
    expect(session).toMatchObject({ era, capabilities: { tools: { listChanged: true } } })
    await session.check(soon)
    expect(await folder.read('heard')).toBe(heard)
  })

  test('says that there was no sign of life in time', async () => {
    const session = await open('good')
    await session.callTool('ignores', { checks: 1 }, soon)
    await expect(session.check({ signal: never, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'tool_timeout',
      message: 'Cannot check rough: no answer within 50 ms',
    })
    await session.check(soon)
  })

  test.each(['good', 'modern'])(
    'hears of changed tools from a %s server, as long as it listens',
    async (manner) => {
      const session = await open(manner)
      let told = () => {}
      let count = 0
      const news = new Promise<void>((resolve) => (told = resolve))
      const stop = session.onToolsChanged(() => {
        count++
        told()
      })
      if (manner === 'modern') await expect.poll(() => folder.read('heard')).toContain('subscriptions/listen')
      await session.callTool('retools', {}, soon)
      await news
      expect((await session.listTools(soon)).map(({ name }) => name)).toEqual(['b', 'a', 'new0'])
      stop()
      await session.callTool('retools', {}, soon)
      await session.check(soon)
      expect(count).toBe(1)
    },
  )

  test('tells of progress', async () => {
    const seen: unknown[] = []
    const onProgress = (progress: unknown) => seen.push(progress)
    await (await open('good')).callTool('progresses', {}, { ...soon, onProgress })
    expect(seen).toEqual([{ progress: 1, total: 2, message: 'half' }])
  })

  test.each([
    ['unknown', 'unknown_tool', 'Cannot call unknown of rough: there is no such tool'],
    ['strict', 'invalid_arguments', 'Invalid arguments for tool strict: a: Required'],
    ['broken', 'server_failed', 'Cannot call broken of rough: it answered -32603: it broke'],
    ['odd', 'server_failed', 'expected the result of a tool, with content'],
    ['huge', 'too_large', 'Cannot call huge of rough: it answered -31413: expected at most 16777216 bytes'],
    ['huge-id-last', 'too_large', 'expected at most 16777216 bytes'],
  ])('explains a call of %s that fails, and goes on', async (tool, code, message) => {
    const session = await open('good')
    await expect(session.callTool(tool, {}, soon)).rejects.toMatchObject({
      name: 'PmlError',
      code,
      message: expect.stringContaining(message),
    })
    expect(await session.callTool('echo', {}, soon)).toMatchObject({ isError: false })
  })

  test('ends a call at its time limit or when it is cancelled, tells the server, and goes on', async () => {
    const session = await open('good')
    await expect(session.callTool('waits', {}, { signal: never, timeoutMs: 100 })).rejects.toMatchObject({
      code: 'tool_timeout',
      message: 'Cannot call waits of rough: no answer within 100 ms',
    })
    const cancel = new AbortController()
    const waiting = session.callTool('waits', {}, { signal: cancel.signal, timeoutMs: 20_000 })
    cancel.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
    expect(await session.callTool('echo', {}, soon)).toMatchObject({ isError: false })
    expect((await folder.read('heard')).match(/notifications\/cancelled/g)).toHaveLength(2)
  })
})

describe('whatever is on stdout', () => {
  test('a line without end ends the server, and every call learns why', async () => {
    const session = await open('good')
    const calls = [session.callTool('waits', {}, soon), session.callTool('line-without-end', {}, soon)]
    const [waiting, writing] = await Promise.allSettled(calls)
    const reason = 'it wrote a line of more than 67108864 bytes, so it was ended'
    expect(waiting).toMatchObject({
      reason: { code: 'server_failed', message: `Cannot call waits of rough: ${reason}` },
    })
    expect(writing).toMatchObject({
      reason: { code: 'server_failed', message: `Cannot call line-without-end of rough: ${reason}` },
    })
    await session.closed
  })

  test('garbage, half characters and enormous lines neither stall nor end a session', async () => {
    const session = await open('garbage')
    const { content } = await session.callTool('echo', { money: '€ 5' }, soon)
    expect(content[0]).toEqual({ type: 'text', text: '{"money":"€ 5"}' })
    expect(said[0]).toBe('€')
  })

  test('its end ends the calls that wait, and the server', async () => {
    const session = await open('good')
    const waiting = session.callTool('waits', {}, soon)
    const closing = session.callTool('closes-stdout', {}, soon)
    const expected = {
      code: 'server_failed',
      message: expect.stringContaining('of rough: it closed its stdout'),
    }
    await expect(waiting).rejects.toMatchObject(expected)
    await expect(closing).rejects.toMatchObject(expected)
    await session.closed
    expect(await folder.alive()).toEqual([])
  })

  test('its exit before the handshake is reported', async () => {
    await expect(open('mute')).rejects.toMatchObject({
      code: 'server_failed',
      message: 'Cannot connect to rough: it closed its stdout',
    })
    expect(await folder.alive()).toEqual([])
  })
})

describe('a server that', () => {
  test('exits at once is reported with its exit code and its last output', async () => {
    await expect(open('crash')).rejects.toMatchObject({
      code: 'server_failed',
      message: 'Cannot connect to rough: it exited with code 3; it said: first words no key, no service',
    })
    expect(said).toEqual(['first words', 'no key, no service'])
  })

  test('exits during a call fails that call, and closes the session', async () => {
    const session = await open('good')
    await expect(session.callTool('dies', {}, soon)).rejects.toMatchObject({
      code: 'server_failed',
      message: 'Cannot call dies of rough: it exited with code 7',
    })
    await session.closed
    await expect(session.callTool('echo', {}, soon)).rejects.toMatchObject({
      code: 'server_failed',
      message: 'Cannot call echo of rough: it exited with code 7',
    })
  })

  test.each([
    ['future', "Server's protocol version is not supported: 2099-01-01"],
    ['strict-future', 'it supports no protocol revision that pml knows, only 2099-01-01; update'],
  ])(
    'supports only a future revision is reported with the revisions it supports: %s',
    async (manner, message) => {
      await expect(open(manner)).rejects.toMatchObject({
        code: 'server_failed',
        message: expect.stringContaining(`Cannot connect to rough: ${message}`),
      })
      expect(await folder.alive()).toEqual([])
    },
  )

  test('never answers is ended at the time limit', async () => {
    await expect(open('silent', { connectTimeoutMs: 700 })).rejects.toMatchObject({
      code: 'server_failed',
      message: 'Cannot connect to rough: no answer within 700 ms',
    })
    expect(await folder.alive()).toEqual([])
  })

  test('never responds is ended when no caller waits', async () => {
    await expect(open('silent', { signal: AbortSignal.timeout(500) })).rejects.toMatchObject({
      code: 'cancelled',
    })
    expect(await folder.alive()).toEqual([])
  })

  test('does not exist is reported as missing', async () => {
    await expect(open('good', { target: { command: 'no-such-program' } })).rejects.toMatchObject({
      code: 'server_failed',
      message: `Cannot start rough: there is no program no-such-program, or no folder ${folder.path}`,
    })
  })

  test('is not wanted any more is not started', async () => {
    await expect(open('good', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' })
    expect(await folder.read('starts')).toBe('')
  })

  test('refuses every greeting is quoted', async () => {
    await expect(open('refusing')).rejects.toMatchObject({
      code: 'server_failed',
      message: expect.stringMatching(
        /^Cannot connect to rough: it answered -32000: .*not today; it said: I want/,
      ),
    })
  })

  test('speaks only the newest revision is understood, in the same process', async () => {
    const session = await open('modern')
    expect(session).toMatchObject({ protocolVersion: '2026-07-28', instructions: 'Only modern' })
    const tools = await session.listTools(soon)
    expect(tools.map(({ name }) => name)).toEqual(['b', 'a'])
    expect(tools[0]).toMatchObject({
      'x-more': [1],
      inputSchema: { $comment: 'kept' },
      annotations: { other: true },
    })
    expect(await session.callTool('echo', { a: 1 }, soon)).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }, { type: 'from the future' }],
      structuredContent: { a: 1 },
      isError: false,
    })
    expect(await folder.read('starts')).toBe('.')
  })
})

describe('closing', () => {
  test('leaves none of the processes of a server, wherever they went and whoever their parents were', async () => {
    const session = await open('family')
    expect(await folder.pids()).toHaveLength(4)
    expect(await folder.alive()).toHaveLength(4)
    await session.close()
    expect(await folder.alive()).toEqual([])
  })

  test.each([
    ['polite', 'stdin ended'],
    ['terminated', 'terminated'],
  ])('lets a %s server say goodbye', async (manner, goodbye) => {
    await (await open(manner)).close()
    expect(await folder.read('goodbye')).toBe(goodbye)
    expect(await folder.alive()).toEqual([])
  })

  test('does not wait for a stubborn one', async () => {
    await (await open('stubborn')).close()
    expect(await folder.alive()).toEqual([])
  })

  test('at once does not wait for a graceful end', async () => {
    const stop = new AbortController()
    const [patient, hasty] = [await open('stubborn'), await open('stubborn', { signal: stop.signal })]
    const closed: string[] = []
    const closing = [
      patient.close().then(() => closed.push('patient')),
      hasty.close().then(() => closed.push('hasty')),
    ]
    stop.abort()
    await Promise.all([...closing, hasty.closed])
    expect(closed).toEqual(['hasty', 'patient'])
    expect(await folder.alive()).toEqual([])
  })

  test('ends the calls that wait', async () => {
    const session = await open('good')
    const waiting = session.callTool('waits', {}, soon).catch((error: unknown) => error)
    await session.close()
    expect(await waiting).toMatchObject({
      code: 'cancelled',
      message: 'Cannot call waits of rough: the session was closed',
    })
    await session.closed
  })

  test('happens by itself when the signal of the session says so', async () => {
    const stop = new AbortController()
    const session = await open('family', { signal: stop.signal })
    stop.abort()
    await session.closed
    expect(await folder.alive()).toEqual([])
  })
})
