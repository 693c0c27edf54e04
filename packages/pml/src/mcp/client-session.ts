import type { Client, RequestOptions, StandardSchemaV1 } from '@modelcontextprotocol/client'
import { listAllTools, listPage, followTools } from './list-tools.ts'
import { keepContent, callTool } from './call-tool.ts'
import { startLimit } from '../machine/limit.ts'
import type { Asking, Calling, McpSession } from './mcp-session.ts'
import {
  callError,
  checkError,
  listError,
  saying,
  type Circumstances,
  isUnknownMethod,
} from './session-errors.ts'

/** The server process or connection behind a client. */
export interface Peer {
  readonly name: string
  /** Why it no longer responds, if it does not. */
  exitReason(): string | undefined
  /** The last lines of its stderr. */
  stderrTail(): readonly string[]
  /** Ends it at once if `isHasty`, else gracefully. */
  close(isHasty: boolean): Promise<void>
  readonly closed: Promise<void>
}

/** A session over a connected client. It ends with `signal`. */
export function createSession(
  client: Client,
  { peer, signal }: { peer: Peer; signal: AbortSignal },
): McpSession {
  keepContent(client)
  const endHastily = () => void peer.close(true)
  signal.addEventListener('abort', endHastily, { once: true })
  if (signal.aborted) endHastily()
  void peer.closed.then(() => signal.removeEventListener('abort', endHastily))

  const ask = async <Result>(
    asking: Asking,
    work: (options: RequestOptions) => Promise<Result>,
    explain: (error: unknown, circumstances: Circumstances) => Error,
  ): Promise<Result> => {
    const { timeoutMs } = asking
    const limit = startLimit(asking.signal, timeoutMs)
    try {
      return await work({ signal: limit.signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs })
    } catch (error) {
      throw explain(error, { peer, limit, timeoutMs })
    } finally {
      limit.clear()
    }
  }
  const instructions = client.getInstructions()
  return {
    ...(instructions === undefined ? {} : { instructions }),
    serverInfo: client.getServerVersion(),
    protocolVersion: client.getNegotiatedProtocolVersion(),
    era: client.getProtocolEra() ?? 'legacy',
    capabilities: client.getServerCapabilities() ?? {},
    listTools: (asking) => ask(asking, (options) => listAllTools(client, options), listError),
    callTool: (name, args, calling: Calling) =>
      ask(
        calling,
        (options) => callTool(client, { name, args }, { ...options, onprogress: calling.onProgress }),
        (error, circumstances) => callError(error, { ...circumstances, tool: name }),
      ),
    check: (asking) => ask(asking, (options) => ping(client, options), checkError),
    onToolsChanged: followTools(client, peer.closed),
    exitReason: () => {
      const fate = peer.exitReason()
      return fate === undefined ? undefined : `${fate}${saying(peer)}`
    },
    close: () => peer.close(false),
    closed: peer.closed,
  }
}

/** Accepts any result. */
const anything: StandardSchemaV1<unknown> = {
  '~standard': { version: 1, vendor: 'pml', validate: (value) => ({ value }) },
}

/** Pings the server. Revisions since 2026-07-28 have no ping, so it lists the first page of tools, which is as cheap. */
async function ping(client: Client, options: RequestOptions): Promise<void> {
  try {
    if (client.getProtocolEra() === 'modern') await listPage(client, { cursor: undefined, options })
    else await client.request({ method: 'ping' }, anything, options)
  } catch (error) {
    if (!isUnknownMethod(error)) throw error
  }
}
