import type { lookup } from 'node:dns'
import { Agent, type Dispatcher } from 'undici'
import type { AllowList } from './allow-list.ts'
import { explainFailure } from './failures.ts'
import { guardedConnect } from './guarded-connect.ts'
import type { ProxyLimits } from './limits.ts'
import type { Target } from './target.ts'

export interface Message {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
  /** Aborts when the response is no longer needed. */
  readonly signal: AbortSignal
}

/** The HTTP client for other servers. Follows no redirects, keeps no cookies, uses no proxy. */
export interface Upstream {
  /** Throws `upstream_failed`, or `cancelled`. */
  send(target: Target, message: Message): Promise<Dispatcher.ResponseData>
  close(): Promise<void>
}

interface UpstreamDeps {
  readonly allow: AllowList
  readonly lookup: typeof lookup
  readonly limits: ProxyLimits
}

export function createUpstream({ allow, lookup, limits }: UpstreamDeps): Upstream {
  const agent = new Agent({
    connect: guardedConnect({ allow, lookup, timeoutMs: limits.connectMs }),
    headersTimeout: limits.firstByteMs,
    // relayBody limits the time of the body, because a slow client counts too.
    bodyTimeout: 0,
  })
  return {
    send: async ({ url, place }, { method, headers, body, signal }) => {
      try {
        const { origin, pathname, search } = url
        return await agent.request({ origin, path: pathname + search, method, headers, body, signal })
      } catch (error) {
        throw explainFailure(error, { place, signal })
      }
    },
    close: () => agent.destroy(),
  }
}
