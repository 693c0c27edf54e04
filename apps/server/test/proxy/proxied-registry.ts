import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRegistry, type TestRegistry } from '../registry.ts'

type Options = Parameters<typeof startRegistry>[0]

interface RemoteServer {
  readonly url: string
  readonly headers?: Record<string, string>
}

/** Starts a registry with these remote servers, with routing `server` except for those in `client`. */
export async function startProxiedRegistry(
  servers: Record<string, RemoteServer>,
  options: Options & { client?: string[] } = {},
): Promise<TestRegistry> {
  const configDir = await mkdtemp(join(tmpdir(), 'pml-proxied-'))
  const routing = { client: options.client ?? [], default: 'server' }
  await writeFile(join(configDir, 'mcp-servers.json'), JSON.stringify({ mcpServers: servers }))
  await writeFile(join(configDir, 'mcp-routing.json'), JSON.stringify(routing))
  const registry = await startRegistry({ proxyAllow: ['127.0.0.1'], ...options, configDir })
  const stop = async () => {
    await registry.stop()
    await rm(configDir, { recursive: true })
  }
  return { ...registry, stop }
}

export const nameOf = (server: string) => `pml.mcp.${server}.server`

/** A tool call of a client of the older revisions. */
export const message = {
  method: 'POST',
  body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
} as const

/** Returns the call as a request with a key. */
export function messageWith(...headers: Record<string, string>[]): RequestInit {
  return { ...message, headers: Object.assign({}, message.headers, ...headers) }
}
