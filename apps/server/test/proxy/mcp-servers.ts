import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { createServer as createSocketServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export interface RunningServer {
  readonly url: string
  stop(): Promise<void>
}

/** The reference server from npm, as users run it. Supports the older revisions, with sessions. */
export async function startEverything(): Promise<RunningServer> {
  const manifest = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/package.json',
  )
  const port = await freePort()
  const child = spawn(process.execPath, [join(dirname(manifest), 'dist/index.js'), 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of createInterface(child.stderr)) if (line.includes('listening')) break
  const stop = async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  return { url: `http://127.0.0.1:${port}/mcp`, stop }
}

/** A server for old and new revisions. Its tool `wait` reports progress and ends when `open` is called. */
export async function startGate(): Promise<RunningServer & { open(): void }> {
  let open = () => {}
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'gate', version: '1.0.0' })
    server.registerTool('wait', { inputSchema: z.object({}) }, async (_args, ctx) => {
      const { _meta: meta } = ctx.mcpReq
      const { progressToken = 'none' } = meta ?? {}
      const opened = new Promise<void>((done) => (open = done))
      await ctx.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2, message: 'at the gate' },
      })
      await opened
      return { content: [{ type: 'text', text: 'through' }] }
    })
    return server
  })
  const server = createServer(
    getRequestListener((request) => handler.fetch(request), { overrideGlobalObjects: false }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    await handler.close()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return { url, stop, open: () => open() }
}

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}
