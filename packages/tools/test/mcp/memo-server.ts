import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createMcpEndpoint, type McpOptions } from '@pml/tools/mcp'
import { createMemoTools, type MemoCaller, type MemoTools } from './memo-tools.ts'

export interface MemoServer extends MemoTools {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

export const info = { name: 'memos', version: '1.2.3' }

/** Memos over a real socket. The caller has the scopes of the header `x-scopes`. */
export async function startMemoServer(options: Partial<McpOptions> = {}): Promise<MemoServer> {
  const memos = createMemoTools()
  const endpoint = createMcpEndpoint(memos.toolbox, {
    info,
    instructions: 'Write memos.',
    onFault: (fault) => void memos.faults.push(fault),
    ...options,
  })
  const listener = getRequestListener((request) => endpoint.fetch(request, callerOf(request)), {
    overrideGlobalObjects: false,
  })
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    await endpoint.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { ...memos, url: `http://127.0.0.1:${port}/mcp`, port, stop }
}

function callerOf({ headers }: Request): MemoCaller {
  return { scopes: headers.get('x-scopes')?.split(' ') ?? [] }
}
