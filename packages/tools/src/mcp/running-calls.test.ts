import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startMemoServer, type MemoServer } from '../../test/mcp/memo-server.ts'
import { legacy, post } from '../../test/mcp/post.ts'

const call = (name: string) => legacy('tools/call', { name, arguments: {} })

let server: MemoServer
beforeEach(async () => {
  server = await startMemoServer()
})
afterEach(() => server.stop())

describe('a legacy client', () => {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const open = async () => {
    const { headers } = await post(server.url, { headers: {}, body: legacy('initialize', params).body })
    return headers.get('mcp-session-id') ?? ''
  }
  const cancel = (session: string) =>
    post(server.url, {
      headers: { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    })

  it('cancels a call of its own session with a message, and no other call', async () => {
    const [mine, other] = [await open(), await open()]
    const { headers, body } = call('memo_wait')
    const answer = post(server.url, { headers: { ...headers, 'mcp-session-id': mine }, body })
    const signal = await server.waits.next()
    expect((await cancel(other)).status).toBe(202)
    expect(signal.aborted).toBe(false)
    expect((await cancel(mine)).status).toBe(202)
    expect(signal.aborted).toBe(true)
    expect((await answer).message.result).toMatchObject({
      isError: true,
      _meta: { error: { error: 'cancelled' } },
    })
  })

  it('gets a JSON object in structuredContent only if it fits the schema', async () => {
    const { message } = await post(server.url, call('memo_lose'))
    expect(message.result).not.toHaveProperty('structuredContent')
  })

  it('may send a batch if its revision allows batches', async () => {
    const [one, two] = [legacy('ping').body, { ...legacy('ping').body, id: 2 }]
    const { status } = await post(server.url, {
      headers: { 'mcp-protocol-version': '2025-03-26' },
      body: [one, two],
    })
    expect(status).toBe(200)
  })
})
