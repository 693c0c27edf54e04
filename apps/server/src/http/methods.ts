import type { Handler, Hono } from 'hono'
import type { Env } from './observe-requests.ts'

/** Maps each path to its Allow header, for 405 responses. Proxied streams have no HEAD. */
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

/** Reports whether a client asks for an event stream: older MCP clients do so at the path of the catalog. */
export function isForEvents(accept: string | undefined): boolean {
  return accept?.includes('text/event-stream') === true
}

/** Allows other origins to read without a key, and nothing else. */
export const corsPreflight: Handler<Env> = (c) =>
  c.body(null, 204, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'If-None-Match',
    'Access-Control-Max-Age': '86400',
  })
