import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'

/** A stream that ends is opened again after a while: proxies end those on which nothing comes. */
const REOPEN_MS = 5000

/**
 * Servers of older revisions tell of changed tools by themselves, those since 2026-07-28 only whoever listens. Not every
 * server says that it tells, and then there is nobody to listen to.
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
    // It refused, or said goodbye.
    if (stream === undefined || (await stream.closed) !== 'remote') return
    await delay(REOPEN_MS, undefined, { signal, ref: false }).catch(() => {})
    // Nobody knows what was missed meanwhile.
    if (!signal.aborted) tell()
  }
}
