import { findServer, PmlError, toolNameOf, type Name } from '@pml/core'
import type { Approval } from '../api/approval.ts'
import { startLimit } from '../machine/limit.ts'
import { openSessionUntil, type McpSession, type Target, type ToolResult } from '../mcp/mcp-session.ts'
import { killAllSync } from '../machine/owned-process.ts'
import { parseStdioDocument } from '../workspace/documents.ts'
import { keepPinnedTools } from '../servers/listing/pinned-tools.ts'
import type { Inspection } from '../servers/supervise/server-status.ts'
import type { Answer, Call, CallParts, Starting } from './call-parts.ts'
import { freely } from './call-request.ts'
import { foreignLine } from './foreign-line.ts'
import { serverTarget } from './server-target.ts'

const CONNECT_TIMEOUT_MS = 60_000

/** Starts or reaches the server of a verified document and calls one of its tools. */
export async function callServer(parts: CallParts, call: Call): Promise<Answer | Approval> {
  const { tool, args, limits } = call
  const target = await serverTarget(parts, call)
  if ('approvalRequired' in target) return target
  const since = performance.now()
  const session = await connect(parts, call, target)
  const action = tool.slice(tool.indexOf(':') + 1)
  const asked = await call.permission.spend()
  if (asked) return asked
  const timeoutMs = Math.max(1, Math.ceil(limits.timeoutMs - (performance.now() - since)))
  const { signal, onProgress } = limits
  return answerOf(
    tool,
    await session.callTool(action, { ...args }, { signal, timeoutMs, ...(onProgress && { onProgress }) }),
  )
}

/** Starts the server without a call, to learn its tools; undefined on success. */
export async function startEntry(
  parts: CallParts,
  request: Pick<Call, 'fetched' | 'operation' | 'limits'>,
): Promise<Approval | undefined> {
  const session = await openEntry(parts, request)
  return 'approvalRequired' in session ? session : undefined
}

export async function openEntry(
  parts: CallParts,
  request: Pick<Call, 'fetched' | 'operation' | 'limits'>,
): Promise<McpSession | Approval> {
  const call: Call = { ...request, tool: toolNameOf(request.fetched.name), args: {}, permission: freely }
  const target = await serverTarget(parts, call)
  if ('approvalRequired' in target) return target
  return connect(parts, call, target)
}

/** Opens a session, or reuses a running one. The time limit of the call covers the start. */
async function connect(parts: CallParts, call: Call, target: Target): Promise<McpSession> {
  const { fetched, tool, limits } = call
  const limit = startLimit(limits.signal, limits.timeoutMs)
  const starting: Starting = {
    name: findServer(fetched.name) ?? fetched.name,
    start: (signal) => openTarget(parts, { name: fetched.name, target, signal }),
    inspect: (session) => inspect(parts, call, session),
  }
  try {
    return await parts.sessions.open(keyOf(fetched.integrity, target), starting, limit.signal)
  } catch (error) {
    if (limit.ending === 'cancelled') throw new PmlError('cancelled', `Cannot call ${tool}: it was cancelled`)
    if (limit.ending !== 'timeout') throw error
    throw new PmlError(
      'tool_timeout',
      `Cannot call ${tool}: its server gave no answer within ${limits.timeoutMs} ms`,
    )
  } finally {
    limit.clear()
  }
}

function openTarget(
  { ops, version, lifetime }: CallParts,
  { name, target, signal }: { name: Name; target: Target; signal: AbortSignal },
): Promise<McpSession> {
  ops.atExit(killAllSync)
  return openSessionUntil([lifetime, signal], {
    target,
    server: findServer(name) ?? name,
    client: { name: 'pml', version },
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    kill: ops.kill,
    onStderr: (line) => ops.tell(foreignLine(line)),
  })
}

/** For a gateway, checks that the tools are the pinned ones: agents see their descriptions. */
async function inspect(
  parts: CallParts,
  { fetched, limits: { signal } }: Call,
  session: McpSession,
): Promise<Inspection> {
  if (parts.mode === 'once') return { tools: [], concerns: [] }
  const tools = await session.listTools({ signal, timeoutMs: CONNECT_TIMEOUT_MS })
  if (fetched.type === 'stdio') {
    const { name } = fetched
    await keepPinnedTools(parts, parseStdioDocument(fetched), { name, tools })
  }
  return { tools, concerns: [] }
}

/** Calls share a server if its content and its environment are the same. */
function keyOf(integrity: string, target: Target): string {
  return JSON.stringify([integrity, target.kind === 'stdio' ? target.env : [target.url.href, target.headers]])
}

/** The result of a tool. Throws `tool_failed` for a failure that the tool reports. */
export function answerOf(tool: string, { content, structuredContent, isError }: ToolResult): Answer {
  const text = content.flatMap((item) => textIn(item) ?? []).join('\n')
  if (isError)
    throw new PmlError('tool_failed', `Cannot finish ${tool}: ${text || 'the server gave no reason'}`, {
      content,
    })
  return { result: structuredContent ?? text, content }
}

function textIn(item: unknown): string | undefined {
  const { type, text } = (item ?? {}) as { type?: unknown; text?: unknown }
  return type === 'text' && typeof text === 'string' ? text : undefined
}
