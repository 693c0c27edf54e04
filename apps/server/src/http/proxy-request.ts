import { parseReference, PmlError } from '@pml/core'
import type { Context } from 'hono'
import type { ProxyCall } from '../proxy/create-proxy.ts'
import type { Env } from './observe-requests.ts'
import type { Bodies } from '../wire/read-body.ts'
import { requireJson } from '../wire/read-json.ts'
import { TOOL_LIMIT_BYTES } from '../wire/read-body.ts'

/** Turns a request to `/proxy/<reference>` into a call of the server behind that entry. */
export function proxyCallIn(c: Context<Env>, bodies: Bodies, reference: string): ProxyCall {
  const { raw } = c.req
  const method = methodOf(raw.method)
  return {
    reference: parseReference(reference),
    method,
    headers: raw.headers,
    withBody: async (actor, use) => {
      if (method !== 'POST') return use(null)
      requireJson(c.env.incoming)
      return bodies.read(c.env.incoming, { actor, limitBytes: TOOL_LIMIT_BYTES }, use)
    },
    signal: raw.signal,
    hangUp: () => c.env.incoming.socket.destroy(),
    requestId: c.get('requestId'),
  }
}

/** Refuses HEAD: computing Content-Length would wait for the end of the stream. */
function methodOf(method: string): ProxyCall['method'] {
  if (method === 'GET' || method === 'POST' || method === 'DELETE') return method
  throw new PmlError(
    'method_not_allowed',
    `Cannot ${method} a proxied server: expected GET, POST or DELETE`,
    {
      allow: 'DELETE, GET, OPTIONS, POST',
    },
  )
}
