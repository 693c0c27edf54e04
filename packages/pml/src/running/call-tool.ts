import {
  ProtocolError,
  type Client,
  type RequestOptions,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client'
import type { ToolResult } from './mcp-session.ts'

/** The server wants arguments repeated in headers, which only a client that knows the tool's schema can do. */
const HEADER_MISMATCH = -32_020

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
    const { content, structuredContent, isError } = await client.callTool(params, options)
    return resultOf({ content, structuredContent, isError })
  }
}

/** Content as it came: the SDK's own schema knows not every kind that there will be. */
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

function resultOf({ content, structuredContent, isError }: Record<string, unknown>): ToolResult {
  return {
    content: content as unknown[],
    ...(isObject(structuredContent) ? { structuredContent } : {}),
    isError: isError === true,
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
