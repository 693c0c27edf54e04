import type { Handler, Hono } from 'hono'
import type { Env } from './observe-requests.ts'

/** Which methods each path of the table answers, for 405 and its Allow header. Of a proxied stream there is no HEAD. */
export function allowedMethods(app: Hono<Env>): Map<string, string> {
  const byPath = new Map<string, Set<string>>()
  for (const { path, method } of app.routes) {
    if (method === 'ALL' || method === 'OPTIONS') continue
    const methods = byPath.get(path) ?? new Set()
    methods.add(method)
    if (method === 'GET' && !path.startsWith('/proxy/')) methods.add('HEAD')
    byPath.set(path, methods)
  }
  return new Map([...byPath].map(([path, methods]) => [path, [...methods, 'OPTIONS'].toSorted().join(', ')]))
}

/** MCP clients of the older revisions ask for a stream of events where others read the catalog. */
export function isForEvents(accept: string | undefined): boolean {
  return accept?.includes('text/event-stream') === true
}

/** Other pages may read; whatever needs a key is not for them. */
export const corsPreflight: Handler<Env> = (c) =>
  c.body(null, 204, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'If-None-Match',
    'Access-Control-Max-Age': '86400',
  })
