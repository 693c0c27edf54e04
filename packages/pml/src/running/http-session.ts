import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { PmlError } from '@pml/core/errors'
import { isLoopback } from '@pml/core/loopback'
import { createSession, type Peer } from './client-session.ts'
import { guardFetch } from './guard-fetch.ts'
import { orAborted, startLimit } from './limit.ts'
import type { HttpTarget, McpSession, SessionOptions } from './mcp-session.ts'
import { connectError } from './session-errors.ts'

/** A server that is told goodbye need not answer. */
const GOODBYE_MS = 1000

export async function openHttpSession(target: HttpTarget, options: SessionOptions): Promise<McpSession> {
  requireSafe(target.url)
  const transport = new StreamableHTTPClientTransport(target.url, {
    fetch: guardFetch(target.fetch ?? fetch, target.url),
    requestInit: { headers: { ...target.headers } },
  })
  const client = new Client(options.client, { versionNegotiation: { mode: 'auto' } })
  const peer = createPeer(options.server ?? target.url.origin, { transport, client })
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

/** The headers may hold keys, and nobody on the way may read them. */
function requireSafe({ protocol, hostname, username, password, origin }: URL): void {
  const isSecret = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  if (isSecret && username === '' && password === '') return
  const expected = isSecret ? 'an address without user and password' : 'https, or plain http to this machine'
  throw new PmlError('invalid_config', `Cannot connect to ${origin}: expected ${expected}`)
}

function createPeer(
  name: string,
  { transport, client }: { transport: StreamableHTTPClientTransport; client: Client },
): Peer {
  let tellClosed = () => {}
  const closed = new Promise<void>((resolve) => (tellClosed = resolve))
  const close = async (isHasty: boolean) => {
    if (!isHasty)
      await orAborted(AbortSignal.timeout(GOODBYE_MS), transport.terminateSession()).catch(() => {})
    await client.close()
    await transport.close()
    tellClosed()
  }
  return { name, findFate: () => undefined, lastWords: () => [], close, closed }
}
