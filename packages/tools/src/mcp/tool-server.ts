import { ProtocolError, ProtocolErrorCode, Server, type StandardSchemaV1 } from '@modelcontextprotocol/server'
import { leavingWith } from '../toolbox.ts'
import { LIST_TTL_MS, type McpOptions } from './options.ts'
import { callResult, listResult, type ToolCallParams, type ToolSession } from './tool-results.ts'

/**
 * Accepts anything: the SDK has checked the shape, and another schema would copy the arguments and silently drop `__proto__`.
 */
const asItCame: StandardSchemaV1<ToolCallParams> = {
  '~standard': { version: 1, vendor: 'pml', validate: (value) => ({ value: value as ToolCallParams }) },
}

const noElicitation = {
  getValidator: () => {
    throw new Error('This server never asks a client for input')
  },
}

/** The SDK's server for one connection or request, with the tools of one caller. */
export function createToolServer<Caller>(
  session: ToolSession<Caller>,
  { info, instructions }: McpOptions,
): Server {
  const server = new Server(info, {
    capabilities: { tools: {} },
    ...(instructions === undefined ? {} : { instructions }),
    cacheHints: {
      'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      'server/discover': { ttlMs: LIST_TTL_MS, cacheScope: 'public' },
    },
    // Without it the SDK would create an ajv instance per server.
    jsonSchemaValidator: noElicitation,
  })
  server.setRequestHandler('tools/list', ({ params }) => {
    if (params?.cursor === undefined) return listResult(session)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'Cannot find this cursor: all tools are on one page',
    )
  })
  server.setRequestHandler('tools/call', { params: asItCame }, (params, { mcpReq }) =>
    callResult(session, params, leavingWith(mcpReq.signal)),
  )
  return server
}
