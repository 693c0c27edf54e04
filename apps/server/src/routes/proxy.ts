import type { Context, Hono } from 'hono'
import { anyObject, describeRoutes, inPath, json, text } from '../docs/describe.ts'
import { requireOwn, writerOf } from '../http/caller.ts'
import type { Env } from '../http/observe-requests.ts'
import { proxyCallIn } from '../http/proxy-request.ts'
import type { AppDeps } from './app-deps.ts'

/** Adds the proxy to servers of type http with routing server. Clients never see the secrets that it adds. */
export function addProxy(app: Hono<Env>, deps: AppDeps): void {
  const call = async (c: Context<Env, '/proxy/:reference'>) => {
    requireOwn(deps, c)
    const request = proxyCallIn(c, deps.bodies, c.req.param('reference'))
    return deps.proxy.call(await writerOf(deps, c), request)
  }
  app.post('/proxy/:reference', docs.callServer, call)
  app.get('/proxy/:reference', docs.followServer, call)
  app.delete('/proxy/:reference', docs.endServerSession, call)
}

const common = {
  access: { scope: 'proxy:<pattern>' },
  parameters: [
    inPath(
      'reference',
      'org.project.namespace.action of a server of type http with routing server, with or without the hash of a release',
      'pml.mcp.deepwiki.server',
    ),
  ],
  responses: {
    200: {
      description: "The server's response",
      content: {
        'application/json': { schema: anyObject },
        'text/event-stream': { schema: text },
      },
    },
  },
}
const fails = [400, 404, 405, 409, 410, 502]
const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

const docs = describeRoutes('Proxy', {
  callServer: {
    ...common,
    summary: 'Call a proxied MCP server',
    description: 'One JSON-RPC message. The response is JSON or a stream.',
    body: json(anyObject, listing),
    fails: [...fails, 408, 413, 415],
  },
  followServer: {
    ...common,
    summary: 'Follow the events of a proxied server',
    description: 'The stream of server-sent events of older revisions of MCP.',
    fails,
  },
  endServerSession: {
    ...common,
    summary: 'End a session with a proxied server',
    description: 'For servers of older revisions of MCP.',
    fails,
  },
})
