import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ListToolsResult,
  type Tool as McpTool,
} from '@modelcontextprotocol/server'
import { PmlError } from '@pml/core'
import type { ListedTool } from '../ready-tool.ts'
import { printRename, type Leaving, type Toolbox } from '../toolbox.ts'
import type { Era, McpOptions } from './options.ts'

/** A toolbox for one caller and one era. */
export interface ToolSession<Caller> {
  readonly toolbox: Toolbox<Caller>
  readonly caller: Caller
  readonly era: Era
  readonly onFault: McpOptions['onFault']
}

export interface ToolCallParams {
  readonly name: string
  readonly arguments?: unknown
}

/** Lists all tools the caller may use, on one page. Throws only ProtocolErrors. */
export async function listResult<Caller>(session: ToolSession<Caller>): Promise<ListToolsResult> {
  try {
    const tools = await session.toolbox.list(session.caller)
    return { tools: tools.map(mcpToolOf) }
  } catch (error) {
    if (error instanceof PmlError) throw internalError(error.message, error)
    throw faultOf(session, error)
  }
}

/** Returns the tool's output or error, for the model. Throws only ProtocolErrors. */
export async function callResult<Caller>(
  session: ToolSession<Caller>,
  params: ToolCallParams,
  leaving: Leaving,
): Promise<CallToolResult> {
  const { name, arguments: args = {} } = params
  try {
    const output = await session.toolbox.call(session.caller, { name, args, leaving })
    const text = JSON.stringify(output)
    const newName = session.toolbox.newNameOf?.(name)
    const notes = newName === undefined ? [] : [printRename(name, newName)]
    return { content: [text, ...notes].map(textContent), structuredContent: output }
  } catch (error) {
    if (!(error instanceof PmlError)) throw faultOf(session, error)
    if (error.code === 'unknown_tool')
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, error.toJSON())
    return errorResult(error, session.era)
  }
}

function textContent(text: string): { type: 'text'; text: string } {
  return { type: 'text', text }
}

/**
 * Legacy clients validate `structuredContent` against the output schema even for errors, and then show their own error instead
 * of ours. For them, details for programs are in `_meta`.
 */
export function errorResult(error: PmlError, era: Era): CallToolResult {
  const body = { ...error.toJSON() }
  const content: CallToolResult['content'] = [{ type: 'text', text: error.message }]
  if (era === 'modern') return { content, structuredContent: body, isError: true }
  return { _meta: { error: body }, content, isError: true }
}

/** MCP has no term for scopes. */
function mcpToolOf({ scope: _scope, ...tool }: ListedTool): McpTool {
  return tool as McpTool
}

function faultOf<Caller>({ onFault }: ToolSession<Caller>, fault: unknown): ProtocolError {
  onFault(fault)
  return internalError('Internal error')
}

function internalError(message: string, error?: PmlError): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, message, error?.toJSON())
}
