import { createMcpHandler } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { info, startMemoServer, type MemoServer } from '../../test/mcp/memo-server.ts'
import { eras, headersOf, legacy, modern, post } from '../../test/mcp/post.ts'
import { createMcpEndpoint } from './endpoint.ts'
import type { Era } from './options.ts'
import { createToolServer } from './tool-server.ts'

const everyEra = ['modern', 'legacy'] as const
const call = (era: Era, name: string, args: unknown = {}) =>
  eras[era]('tools/call', { name, arguments: args })

let server: MemoServer
beforeEach(async () => {
  server = await startMemoServer()
})
afterEach(() => server.stop())

describe.each(everyEra)('the direct response in the %s era', (era) => {
  it.each([
    eras[era]('tools/list'),
    call(era, 'memo_echo', { text: 'x' }),
    call(era, 'memo_echo', {}),
    call(era, 'memo_echo', JSON.parse('{"text":"x","__proto__":{}}')),
    call(era, 'memo_lose'),
    call(era, 'memo_none'),
    eras[era]('tools/call', { name: 'memo_lose' }),
  ])("equals the SDK's response byte for byte for %j", async ({ headers, body }) => {
    const session = { toolbox: server.toolbox, caller: { scopes: [] }, era, onFault: () => {} }
    const sdk = createMcpHandler(() => createToolServer(session, { info, onFault: () => {} }))
    const response = await sdk.fetch(
      new Request(server.url, { method: 'POST', headers: headersOf(headers), body: JSON.stringify(body) }),
    )
    const said = await response.text()
    expect((await post(server.url, { headers, body })).text).toBe(/^data: (.*)$/m.exec(said)?.[1] ?? said)
  })
})

describe('a server that reads bodies itself', () => {
  const answer = ({ headers, body }: { headers: Record<string, string | undefined>; body: unknown }) => {
    const endpoint = createMcpEndpoint(server.toolbox, { info, onFault: () => {} })
    const request = new Request(server.url, { method: 'POST', headers: headersOf(headers), body: '{}' })
    const bytes = Buffer.from(JSON.stringify(body))
    return endpoint.answer(
      request,
      { scopes: [] },
      { read: async (use) => use(bytes), leaving: () => () => {} },
    )
  }

  it('gets the bytes that fetch would send', async () => {
    const request = call('modern', 'memo_echo', { text: 'x' })
    expect(await answer(request)).toBe((await post(server.url, request)).text)
  })

  it.each([
    ['a handshake', legacy('initialize')],
    ['a mismatched header', { ...modern('tools/list'), headers: modern('server/discover').headers }],
    ['a batch', { ...legacy('tools/list'), body: [legacy('tools/list').body] }],
  ])('gets a response for %s', async (_what, request) => {
    expect(await answer(request)).toBeInstanceOf(Response)
  })
})
