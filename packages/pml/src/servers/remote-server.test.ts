import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { kill } from '../../test/rough-folder.ts'
import { inspectTools, isState, soon, still, until } from '../../test/rough-supervision.ts'
import { serveWeb } from '../../test/web-server.ts'
import { openSession } from '../mcp/mcp-session.ts'
import { superviseServer } from './supervise/supervise-server.ts'
import type { SupervisedServer, Supervision } from './supervise/supervised-server.ts'

const never = new AbortController().signal
let web: Awaited<ReturnType<typeof serveWeb>>
let isDown: boolean
let server: SupervisedServer

beforeEach(async () => {
  isDown = false
  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: 'real', version: '1' })
    mcp.registerTool('echo', {}, async () => ({ content: [{ type: 'text', text: 'here' }] }))
    return mcp
  })
  web = await serveWeb(async (request) =>
    isDown ? new Response('down', { status: 503 }) : handler.fetch(request),
  )
})

afterEach(async () => {
  await server.close(0)
  await web.stop()
})

function supervise(more: Partial<Supervision> = {}): SupervisedServer {
  server = superviseServer({
    name: 'remote',
    start: (signal) =>
      openSession(
        { kind: 'http', url: web.url, headers: {}, secrets: [] },
        {
          server: 'remote',
          client: { name: 'test', version: '1' },
          connectTimeoutMs: 20_000,
          signal,
          kill,
          onStderr: () => {},
        },
      ),
    inspect: inspectTools,
    timing: { ...still, idleMs: undefined, checkEveryMs: 10, firstBackoffMs: 10, longestBackoffMs: 40 },
    now: () => new Date(),
    ...more,
  })
  return server
}

test('a server that goes away is degraded, then offline, and ready when it is back', async () => {
  supervise()
  expect(await server.check(never)).toMatchObject({ state: 'ready', protocolVersion: '2026-07-28' })
  isDown = true
  expect(await until(server, isState('degraded'))).toMatchObject({
    reason: expect.stringContaining('it answered with status 503'),
  })
  await until(server, isState('offline'))
  isDown = false
  await until(server, isState('ready'))
  const session = await server.open(never)
  expect(await session.callTool('echo', {}, soon)).toMatchObject({ content: [{ text: 'here' }] })
})

test('a call that fails is followed by a check', async () => {
  supervise({ timing: { ...still, failuresToOpen: 2 } })
  const session = await server.open(never)
  isDown = true
  await expect(session.callTool('echo', {}, soon)).rejects.toMatchObject({ code: 'server_failed' })
  await until(server, isState('degraded'))
})

test('a server cancelled during its inspection is not used', async () => {
  const gates: (() => void)[] = []
  const inspect = async () => {
    await new Promise<void>((resolve) => gates.push(resolve))
    return { tools: [], concerns: [] }
  }
  supervise({ inspect, timing: still })
  const stop = new AbortController()
  const opening = server.open(stop.signal)
  await expect.poll(() => gates.length).toBe(1)
  stop.abort()
  await expect(opening).rejects.toMatchObject({ code: 'cancelled' })
  gates[0]?.()
  const again = server.open(never)
  await expect.poll(() => gates.length).toBe(2)
  expect(server.status).toMatchObject({ state: 'offline', isRunning: false })
  gates[1]?.()
  await (await again).callTool('echo', {}, soon)
})
