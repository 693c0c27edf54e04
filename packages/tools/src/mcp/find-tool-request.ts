import { classifyInboundRequest, type RequestId } from '@modelcontextprotocol/server'
import { legacyRevisions, MODERN_REVISION, type Era } from './options.ts'
import type { ToolCallParams } from './tool-results.ts'

/** A valid plain request to list or call tools. */
export type ToolRequest = { readonly era: Era; readonly id: RequestId } & (
  | { readonly method: 'tools/list' }
  | { readonly method: 'tools/call'; readonly params: ToolCallParams }
)

type Members = Readonly<Record<string, unknown>>

/**
 * Recognises requests that can be answered directly, which is nearly all traffic. The SDK handles anything unusual or wrong.
 */
export function findToolRequest(headers: Pick<Headers, 'get'>, body: unknown): ToolRequest | undefined {
  if (!isObject(body) || (body.method !== 'tools/call' && body.method !== 'tools/list')) return undefined
  const era = findEra(headers, body)
  const params = body.params ?? {}
  if (era === undefined || !isObject(params) || !hasPlainMeta(params)) return undefined
  const id = body.id as RequestId
  if (body.method === 'tools/list')
    return hasOnly(params, ['_meta']) ? { era, id, method: body.method } : undefined
  if (!isPlainCall(params) || !hasOnly(params, ['_meta', 'name', 'arguments'])) return undefined
  if (era === 'modern' && headers.get('mcp-name') !== params.name) return undefined
  return { era, id, method: body.method, params }
}

/** Checks the message with the SDK, and the headers that its transports require. */
function findEra(headers: Pick<Headers, 'get'>, body: Members): Era | undefined {
  const version = headers.get('mcp-protocol-version') ?? undefined
  const method = headers.get('mcp-method') ?? undefined
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
  })
  if (route.kind === 'modern') {
    const isWhole = version === MODERN_REVISION && method !== undefined && route.messageKind === 'request'
    return isWhole ? 'modern' : undefined
  }
  const isPlain = route.kind === 'legacy' && route.reason === 'no-claim' && acceptsBoth(headers)
  return isPlain && (version === undefined || legacyRevisions.includes(version)) ? 'legacy' : undefined
}

function acceptsBoth(headers: Pick<Headers, 'get'>): boolean {
  const accept = headers.get('accept') ?? ''
  return accept.includes('application/json') && accept.includes('text/event-stream')
}

function isPlainCall(params: Members): params is Members & ToolCallParams {
  return typeof params.name === 'string' && (params.arguments === undefined || isObject(params.arguments))
}

function hasPlainMeta({ _meta: meta = {} }: Members): boolean {
  if (!isObject(meta)) return false
  const token = meta.progressToken
  return token === undefined || typeof token === 'string' || Number.isSafeInteger(token)
}

function hasOnly(object: Members, known: readonly string[]): boolean {
  return Object.keys(object).every((key) => known.includes(key))
}

function isObject(value: unknown): value is Members {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
