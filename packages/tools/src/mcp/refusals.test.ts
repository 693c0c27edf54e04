import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startMemoServer, type MemoServer } from '../../test/mcp/memo-server.ts'
import { legacy, modern, post, postWithoutEnd } from '../../test/mcp/post.ts'

let server: MemoServer
beforeEach(async () => {
  server = await startMemoServer({ maxBodyBytes: 10_000 })
})
afterEach(() => server.stop())

describe('a wrong request', () => {
  const tool = { name: 'memo_echo', arguments: { text: 'x' } }
  const whole = modern('tools/call', tool)
  const old = legacy('tools/call', tool)
  const withHeaders = (
    headers: Record<string, string | undefined>,
    from: typeof whole | typeof old = whole,
  ) => ({
    headers: { ...from.headers, ...headers },
    body: from.body,
  })
  const version = 'io.modelcontextprotocol/protocolVersion'
  const future = {
    headers: { ...whole.headers, 'mcp-protocol-version': '2099-01-01' },
    body: JSON.stringify(whole.body).replace(`"${version}":"2026-07-28"`, `"${version}":"2099-01-01"`),
  }

  it.each([
    ['an unknown revision', future, 400, -32022],
    ['an unknown legacy revision', withHeaders({ 'mcp-protocol-version': '2020-01-01' }, old), 400, -32000],
    ['no version header', withHeaders({ 'mcp-protocol-version': undefined }), 400, -32020],
    ['another version in the header', withHeaders({ 'mcp-protocol-version': '2025-11-25' }), 400, -32020],
    ['no method header', withHeaders({ 'mcp-method': undefined }), 400, -32020],
    ['another method in the header', withHeaders({ 'mcp-method': 'tools/list' }), 400, -32020],
    ['no name header', withHeaders({ 'mcp-name': undefined }), 400, -32020],
    ['another name in the header', withHeaders({ 'mcp-name': 'memo_lose' }), 400, -32020],
    ['no envelope', { headers: whole.headers, body: old.body }, 400, -32602],
    ['an unknown method', modern('memos/list'), 404, -32601],
    ['an unknown legacy method', legacy('memos/list'), 200, -32601],
    ['a method that modern clients lost', modern('ping'), 404, -32601],
    ['a batch', { headers: whole.headers, body: [whole.body] }, 400, -32600],
    ['a batch in 2025-11-25', { headers: old.headers, body: [old.body] }, 400, -32600],
    ['an empty batch', { headers: {}, body: [] }, 400, -32600],
    ['broken JSON', { headers: whole.headers, body: '{"jsonrpc":' }, 400, -32700],
    ['nothing', { headers: whole.headers, body: '' }, 400, -32700],
    ['JSON that is no message', { headers: whole.headers, body: '"tools/call"' }, 400, -32600],
    ['null', { headers: {}, body: 'null' }, 400, -32600],
    ['another content type', withHeaders({ 'content-type': 'text/plain' }), 415, -32000],
    ['no content type', withHeaders({ 'content-type': undefined }), 415, -32000],
    ['a legacy client that takes no streams', withHeaders({ accept: 'application/json' }, old), 406, -32000],
    ['a body over the limit', { headers: {}, body: ' '.repeat(10_001) }, 413, -32600],
  ])('with %s is refused', async (_what, request, status, code) => {
    const answer = await post(server.url, request)
    expect({ status: answer.status, code: answer.message.error?.code }).toEqual({ status, code })
  })

  it.each([
    ['in chunks', { sentBytes: 10_001 }],
    ['of a length', { sentBytes: 1, declaredBytes: 10_001 }],
  ])('%s is refused as soon as it exceeds the limit', async (_how, body) => {
    const { status, message } = await postWithoutEnd(server.url, body)
    expect(status).toBe(413)
    expect(message.error?.data).toMatchObject({ error: 'too_large', limit: 10_000 })
  })

  it('names the supported revisions', async () => {
    const { message } = await post(server.url, future)
    expect(message.error?.data).toEqual({ supported: ['2026-07-28'], requested: '2099-01-01' })
  })

  it.each(['GET', 'DELETE', 'PUT'])('by %s is refused', async (method) => {
    const { status, headers } = await fetch(server.url, { method, headers: { accept: 'text/event-stream' } })
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'POST' })
  })

  it('does not affect later requests', async () => {
    await postWithoutEnd(server.url, { sentBytes: 10_001 })
    const { message } = await post(server.url, whole)
    expect(message.result).toMatchObject({ structuredContent: { text: 'x' } })
  })
})
