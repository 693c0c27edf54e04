import type { Client, RequestOptions, StandardSchemaV1 } from '@modelcontextprotocol/client'
import type { ToolDefinition } from '@pml/core/pins'
import { MESSAGE_LIMIT_BYTES } from './too-large.ts'
import { setTimeout as delay } from 'node:timers/promises'

interface Page {
  readonly tools: readonly ToolDefinition[]
  readonly nextCursor?: string
}

const MOST_PAGES = 100

/** The tools of all pages. Throws if there are too many pages or too many bytes. */
export async function listAllTools(client: Client, options: RequestOptions): Promise<ToolDefinition[]> {
  const tools: ToolDefinition[] = []
  let cursor: string | undefined
  let length = 0
  for (let page = 0; page < MOST_PAGES && length <= MESSAGE_LIMIT_BYTES; page++) {
    const answer = await listPage(client, { cursor, options })
    length += JSON.stringify(answer).length
    tools.push(...answer.tools)
    cursor = answer.nextCursor
    if (cursor === undefined) return tools
  }
  throw new Error(`expected at most ${MOST_PAGES} pages of ${MESSAGE_LIMIT_BYTES} bytes together`)
}

export function listPage(
  client: Client,
  { cursor, options }: { cursor: string | undefined; options: RequestOptions },
): Promise<Page> {
  const params = cursor === undefined ? {} : { cursor }
  return client.request({ method: 'tools/list', params }, wholePage, options)
}

/** The original page: the SDK's schema drops unknown members, but a pin covers all of them. */
const wholePage: StandardSchemaV1<unknown, Page> = {
  '~standard': {
    version: 1,
    vendor: 'pml',
    validate: (value) =>
      isPage(value)
        ? { value }
        : { issues: [{ message: 'expected a list of tools with names and schemas' }] },
  },
}

function isPage(value: unknown): value is Page {
  if (!isObject(value) || !Array.isArray(value.tools)) return false
  if (value.nextCursor !== undefined && typeof value.nextCursor !== 'string') return false
  return value.tools.every(isTool)
}

function isTool(value: unknown): boolean {
  if (!isObject(value) || typeof value.name !== 'string') return false
  if (value.description !== undefined && typeof value.description !== 'string') return false
  return isObject(value.inputSchema) && value.inputSchema.type === 'object'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A stream that ends is reopened after this time: proxies close idle streams. */
const REOPEN_MS = 5000

/**
 * Listens for changed tools. Servers of older revisions notify on their own, those since 2026-07-28 only on a stream that
 * the client opens, if they support it.
 */
export function followTools(client: Client, closed: Promise<void>): (listener: () => void) => () => void {
  const listeners = new Set<() => void>()
  const tell = () => listeners.forEach((listener) => listener())
  client.setNotificationHandler('notifications/tools/list_changed', tell)
  const mustListen =
    client.getProtocolEra() === 'modern' && client.getServerCapabilities()?.tools?.listChanged === true
  let isListening = false
  return (listener) => {
    if (mustListen && !isListening) void keepListening(client, { closed, tell })
    isListening = true
    const heard = () => listener()
    listeners.add(heard)
    return () => void listeners.delete(heard)
  }
}

async function keepListening(
  client: Client,
  { closed, tell }: { closed: Promise<void>; tell: () => void },
): Promise<void> {
  const end = new AbortController()
  void closed.then(() => end.abort())
  const { signal } = end
  while (!signal.aborted) {
    const stream = await client.listen({ toolsListChanged: true }, { signal }).catch(() => undefined)
    // The server refused or closed the stream.
    if (stream === undefined || (await stream.closed) !== 'remote') return
    await delay(REOPEN_MS, undefined, { signal, ref: false }).catch(() => {})
    // A change may have been missed meanwhile.
    if (!signal.aborted) tell()
  }
}
