import type { Dispatcher } from 'undici'
import { unkept } from '../wire/json-answer.ts'
import { upstreamFailed } from './failures.ts'
import { headersForCaller } from './headers.ts'
import type { SecretHider } from './hide-secrets.ts'
import type { ProxyLimits } from './limits.ts'
import { relayBody } from './relay-body.ts'

interface PassOn {
  readonly place: string
  readonly limits: ProxyLimits
  readonly hider: SecretHider
  /** Called once at the end, with the failure if there was one. */
  readonly onEnd: (failure: string | undefined) => void
}

/**
 * Returns the server's response for the client. Passes JSON, event streams and statuses without a body. Throws
 * `upstream_failed` for other responses, which are not MCP, and for bodies that cannot be searched for secrets.
 */
export function passOn(
  { statusCode: status, headers: received, body }: Dispatcher.ResponseData,
  { place, limits, hider, onEnd }: PassOn,
): Response {
  const headers = headersForCaller(received, { hide: hider.text, hideInNames: hider.lowerCase })
  const kind = kindOf(headers['content-type'])
  const isStream = kind === 'events' && status < 300
  const refusal =
    refusalOf(status, kind) ??
    unreadable(received) ??
    tooLong(received['content-length'], { isStream, limits })
  if (refusal !== undefined) {
    body.on('error', () => {}).destroy()
    throw upstreamFailed(place, refusal)
  }
  const hasBody = (isStream || kind === 'json') && status !== 204 && status !== 205
  const relayed = relayBody(body, { limits, isStream, hiding: hider.stream(), onEnd })
  if (!hasBody) {
    void relayed.cancel()
    const { 'content-type': _type, ...bare } = headers
    return new Response(null, { status, headers: { ...bare, ...unkept } })
  }
  // Explicit chunking sends the headers immediately, and leaves a body that is cut off without an end.
  const sent = { ...headers, ...unkept, 'Transfer-Encoding': 'chunked', 'X-Accel-Buffering': 'no' }
  return new Response(relayed, { status, headers: sent })
}

type Kind = 'json' | 'events' | 'other' | 'none'

function kindOf(contentType: string | undefined): Kind {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === '') return 'none'
  if (type === 'text/event-stream') return 'events'
  return /^application\/(?:[\w.-]+\+)?json$/.test(type) ? 'json' : 'other'
}

function refusalOf(status: number, kind: Kind): string | undefined {
  if (status >= 300 && status < 400) return 'it redirects, and redirects are not followed'
  // The client would think that the registry refused its key.
  if (status === 401 || status === 407) return 'it does not accept the credentials of the registry'
  if (status < 200 || status > 599) return 'its response is not HTTP'
  if (kind === 'json' || (status >= 400 && status < 500)) return undefined
  if (status >= 500) return `it returned ${status}`
  // A response to a notification or to the end of a session has no content; some servers send plain text.
  if (kind === 'events' || kind === 'none' || status === 202 || status === 204) return undefined
  return `it returned ${status} with a body that is neither JSON nor an event stream`
}

/** Returns why the body cannot be searched for secrets: it must be uncompressed UTF-8. */
function unreadable(received: Dispatcher.ResponseData['headers']): string | undefined {
  const coding = String(received['content-encoding'] ?? 'identity')
  if (!/^\s*identity\s*$/i.test(coding))
    return 'its response is compressed although the request refused compression'
  const [, charset = 'utf-8'] =
    /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(String(received['content-type'] ?? '')) ?? []
  return /^(?:utf-?8|us-ascii)$/i.test(charset) ? undefined : 'its response is not in UTF-8'
}

function tooLong(
  contentLength: string | string[] | undefined,
  { isStream, limits }: { isStream: boolean; limits: ProxyLimits },
): string | undefined {
  const isLong = !isStream && Number(contentLength ?? 0) > limits.answerBytes
  return isLong ? `its response is over ${limits.answerBytes} bytes` : undefined
}
