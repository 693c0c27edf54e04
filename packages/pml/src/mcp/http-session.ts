import { Client, StreamableHTTPClientTransport, type FetchLike } from '@modelcontextprotocol/client'
import { PmlError } from '@pml/core/errors'
import { isLoopback } from '@pml/core/loopback'
import { createSession, type Peer } from './client-session.ts'
import { guardFetch } from './guard-fetch.ts'
import { orAborted, startLimit } from '../machine/limit.ts'
import type { HttpTarget, McpSession, SessionOptions } from './mcp-session.ts'
import { connectError } from './session-errors.ts'

/** How long a server may take to confirm the end of a session. */
const GOODBYE_MS = 1000

export async function openHttpSession(target: HttpTarget, options: SessionOptions): Promise<McpSession> {
  requireSafe(target.url)
  let forget = () => {}
  const transport = new StreamableHTTPClientTransport(target.url, {
    fetch: noticeEnd(guardFetch(target.fetch ?? fetch, target.url), () => forget()),
    requestInit: { headers: { ...target.headers } },
  })
  const client = new Client(options.client, { versionNegotiation: { mode: 'auto' } })
  const peer = createPeer(options.server ?? target.url.origin, { transport, client })
  forget = peer.forget
  const limit = startLimit(options.signal, options.connectTimeoutMs)
  const { signal } = limit
  try {
    await orAborted(signal, client.connect(transport, { signal, timeout: options.connectTimeoutMs }))
    return createSession(client, { peer, signal: options.signal })
  } catch (error) {
    await peer.close(true)
    throw connectError(error, { peer, limit, timeoutMs: options.connectTimeoutMs })
  } finally {
    limit.clear()
  }
}

/** Requires https or loopback, since the headers may contain keys. */
function requireSafe({ protocol, hostname, username, password, origin }: URL): void {
  const isSecret = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  if (isSecret && username === '' && password === '') return
  const expected = isSecret ? 'an address without user and password' : 'https, or plain http to this machine'
  throw new PmlError('invalid_config', `Cannot connect to ${origin}: expected ${expected}`)
}

/** A server of an older revision reports by status 404 that the session no longer exists. */
function noticeEnd(fetch: FetchLike, tell: () => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.status === 404 && new Headers(init?.headers).has('mcp-session-id')) tell()
    return response
  }
}

function createPeer(
  name: string,
  { transport, client }: { transport: StreamableHTTPClientTransport; client: Client },
): Peer & { forget(): void } {
  let fate: string | undefined
  let tellClosed = () => {}
  const closed = new Promise<void>((resolve) => (tellClosed = resolve))
  const close = async (isHasty: boolean) => {
    if (!isHasty)
      await orAborted(AbortSignal.timeout(GOODBYE_MS), transport.terminateSession()).catch(() => {})
    await client.close().catch(() => {})
    await transport.close().catch(() => {})
    tellClosed()
  }
  const forget = () => {
    fate ??= 'it ended the session'
    // The pending request gets its response first.
    setImmediate(() => void close(true))
  }
  return { name, exitReason: () => fate, stderrTail: () => [], close, closed, forget }
}
