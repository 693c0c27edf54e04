import {
  ProtocolError,
  type Client,
  type RequestOptions,
  type StandardSchemaV1,
  type JSONRPCMessage,
} from '@modelcontextprotocol/client'
import type { ToolResult } from './mcp-session.ts'

/** The server requires arguments in headers, which only a client that knows the tool's schema can send. */
const HEADER_MISMATCH = -32_020
/** The SDK's note about the server, which is not part of the tool's result. */
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

export async function callTool(
  client: Client,
  { name, args }: { name: string; args: Record<string, unknown> },
  options: RequestOptions,
): Promise<ToolResult> {
  const params = { name, arguments: args }
  try {
    return await client.request({ method: 'tools/call', params }, anyResult, options)
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== HEADER_MISMATCH) throw error
    return resultOf({ ...(await client.callTool(params, options)) })
  }
}

/** Accepts content of any kind: the SDK's schema rejects kinds that it does not know. */
const anyResult: StandardSchemaV1<unknown, ToolResult> = {
  '~standard': {
    version: 1,
    vendor: 'pml',
    validate: (value) =>
      isObject(value) && Array.isArray(value.content)
        ? { value: resultOf(value) }
        : { issues: [{ message: 'expected the result of a tool, with content' }] },
  },
}

function resultOf(result: Record<string, unknown>): ToolResult {
  const { structuredContent, isError } = result
  const { content, meta: whole } = restoreContent(result)
  const meta = Object.entries(whole).filter(([name]) => name !== SERVER_INFO)
  return {
    content: content as unknown[],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: isError === true,
    ...(meta.length === 0 ? {} : { _meta: Object.fromEntries(meta) }),
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member of `_meta`, which the SDK passes through. */
const CONTENT = 'pml/content'

/**
 * For revisions since 2026-07-28 the SDK rejects a whole result for one unknown kind of content. So the content is hidden
 * from it, and `restoreContent` puts it back.
 */
export function keepContent({ transport }: Client): void {
  const receive = transport?.onmessage
  if (transport === undefined || receive === undefined) return
  const onmessage: typeof receive = (message, extra) => receive(withoutContent(message), extra)
  Object.assign(transport, { onmessage })
}

/** The original content and `_meta` of a result. */
function restoreContent(result: Record<string, unknown>): { content: unknown; meta: object } {
  const { [CONTENT]: content, ...meta } = (result['_meta'] ?? {}) as Record<string, unknown>
  return { content: content ?? result['content'], meta }
}

function withoutContent<Message extends JSONRPCMessage>(message: Message): Message {
  if (!('result' in message) || !Array.isArray(message.result['content'])) return message
  const { content, _meta } = message.result
  return { ...message, result: { ...message.result, content: [], _meta: { ..._meta, [CONTENT]: content } } }
}
