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
  /** Called once, when nothing more comes: undefined when all came, else why not. */
  readonly onEnd: (failure: string | undefined) => void
}

/**
 * The server's answer as the caller gets it. JSON and streams of events go through, and a status that needs no words;
 * anything else is not MCP, and what cannot be searched for secrets is not passed on. Throws `upstream_failed`.
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
  // Named, so that the head is sent at once and no end is made up for a body that breaks off.
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
  // The caller would take it for the registry's own word about its key.
  if (status === 401 || status === 407) return 'it does not accept the credentials of the registry'
  if (status < 200 || status > 599) return 'its answer is not HTTP'
  if (kind === 'json' || (status >= 400 && status < 500)) return undefined
  if (status >= 500) return `it answered ${status}`
  // Whoever takes a notification or the end of a session has nothing to say; some say it in plain words.
  if (kind === 'events' || kind === 'none' || status === 202 || status === 204) return undefined
  return `it answered ${status} with something that is neither JSON nor a stream of events`
}

/** Secrets are looked for in the bytes as they come, so those must be plain UTF-8. */
function unreadable(received: Dispatcher.ResponseData['headers']): string | undefined {
  const coding = String(received['content-encoding'] ?? 'identity')
  if (!/^\s*identity\s*$/i.test(coding)) return 'its answer is compressed, though it was asked not to'
  const [, charset = 'utf-8'] =
    /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(String(received['content-type'] ?? '')) ?? []
  return /^(?:utf-?8|us-ascii)$/i.test(charset) ? undefined : 'its answer is not in UTF-8'
}

function tooLong(
  contentLength: string | string[] | undefined,
  { isStream, limits }: { isStream: boolean; limits: ProxyLimits },
): string | undefined {
  const isLong = !isStream && Number(contentLength ?? 0) > limits.answerBytes
  return isLong ? `its answer is over ${limits.answerBytes} bytes` : undefined
}
