import type { Client, JSONRPCMessage } from '@modelcontextprotocol/client'

/** Among what the SDK hands on unseen. */
const CONTENT = 'pml/content'

/**
 * Since 2026-07-28 the SDK refuses a whole result for one kind of content that it does not know. It gets to see none of it;
 * `restoreContent` gives it back as it came.
 */
export function keepContent({ transport }: Client): void {
  const receive = transport?.onmessage
  if (transport === undefined || receive === undefined) return
  const onmessage: typeof receive = (message, extra) => receive(withoutContent(message), extra)
  Object.assign(transport, { onmessage })
}

/** What came as content, and what came as `_meta`. */
export function restoreContent(result: Record<string, unknown>): { content: unknown; meta: object } {
  const { [CONTENT]: content, ...meta } = (result['_meta'] ?? {}) as Record<string, unknown>
  return { content: content ?? result['content'], meta }
}

function withoutContent<Message extends JSONRPCMessage>(message: Message): Message {
  if (!('result' in message) || !Array.isArray(message.result['content'])) return message
  const { content, _meta } = message.result
  return { ...message, result: { ...message.result, content: [], _meta: { ..._meta, [CONTENT]: content } } }
}
