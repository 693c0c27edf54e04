import type { IncomingMessage } from 'node:http'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import type { Seats } from '../changes/seats.ts'
import {
  answer,
  anyObject,
  bodyFails,
  describeRoutes,
  inline,
  json,
  text,
  undescribed,
} from '../docs/describe.ts'
import { leavingOf, onClose, requireOwn, toolCallerOf } from '../http/caller.ts'
import { send, type Env } from '../http/observe-requests.ts'
import { jsonAnswer, printedAnswer, unkept } from '../wire/json-answer.ts'
import { TOOL_LIMIT_BYTES, type Bodies } from '../wire/read-body.ts'
import { readJson } from '../wire/read-json.ts'
import { anonymous, type Actor } from '../keys/actor.ts'
import type { ToolCaller } from '../registry-toolbox.ts'
import type { AppDeps } from './app-deps.ts'

/** Adds the tools over HTTP and over MCP. */
export function addTools(app: Hono<Env>, deps: AppDeps): void {
  const { toolbox, mcp, bodies } = deps
  app.get('/tools', docs.listTools, async (c) => {
    c.header('Cache-Control', 'private, no-cache')
    return c.json({ tools: await toolbox.list(await toolCallerOf(deps, c)) })
  })
  // The OpenAPI document has a path for each tool instead.
  app.post('/tools/:name', undescribed, async (c) => {
    requireOwn(deps, c)
    const caller = await toolCallerOf(deps, c)
    const name = c.req.param('name')
    c.set('notice', formerNameNotice(toolbox.newNameOf?.(name)))
    toolbox.admit(caller, name)
    const args = await readArguments(bodies, c.env.incoming, caller.actor)
    const call = { name, args, leaving: leavingOf(c) }
    return send(c, jsonAnswer(await toolbox.call(caller, call)))
  })
  app.post('/mcp', docs.callMcp, async (c) => {
    requireOwn(deps, c)
    const caller = await toolCallerOf(deps, c)
    const limits = { actor: caller.actor, limitBytes: TOOL_LIMIT_BYTES }
    const response = await mcp.answer(c.req.raw, caller, {
      read: (use) => bodies.read(c.env.incoming, limits, use),
      leaving: leavingOf(c),
    })
    if (typeof response === 'string') return send(c, printedAnswer(response))
    if (response.headers.get('content-type') === 'text/event-stream')
      takeSeat(deps.seats.mcp, c, { caller, response })
    for (const [key, value] of Object.entries(unkept)) response.headers.set(key, value)
    return response
  })
}

/** An empty body means no arguments. */
async function readArguments(bodies: Bodies, request: IncomingMessage, actor: Actor): Promise<unknown> {
  const { headers } = request
  const isEmpty = (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined
  return isEmpty ? {} : readJson(bodies, request, { actor, limitBytes: TOOL_LIMIT_BYTES })
}

/** When the former tool names were deprecated, in the format of RFC 9745. */
const FORMER_NAMES_SINCE = '@1794960000'

/** Returns deprecation headers for a call by a former tool name. */
function formerNameNotice(newName: string | undefined): Readonly<Record<string, string>> {
  if (newName === undefined) return {}
  return { Deprecation: FORMER_NAMES_SINCE, Link: `<${newName}>; rel="successor-version"` }
}

/** Takes a seat for the key, or for the address of a caller without one. */
function takeSeat(
  seats: Seats,
  c: Context<Env>,
  { caller: { actor, address }, response }: { caller: ToolCaller; response: Response },
): void {
  try {
    const leaveSeat = seats.take(actor === anonymous ? address : actor.id, () => {})
    onClose(c, leaveSeat)
  } catch (error) {
    void response.body?.cancel()
    throw error
  }
}

const object = z.record(z.string(), z.unknown())
const toolList = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      inputSchema: object,
      outputSchema: object,
      annotations: object,
      scope: z.string().optional(),
    }),
  ),
})
const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

const docs = describeRoutes('Tools', {
  listTools: {
    summary: 'List tools',
    description: 'The tools that the caller may use, sorted by name, with their schemas.',
    access: 'optional',
    responses: { 200: answer(inline(toolList), 'The tools') },
  },
  callMcp: {
    summary: 'Speak MCP',
    description:
      'One JSON-RPC message of MCP, revision 2026-07-28 or older. The tools are those of GET /tools.',
    access: 'optional',
    body: json(anyObject, listing),
    responses: {
      200: {
        description: 'A JSON-RPC response, or a stream of messages',
        content: { ...json(anyObject), 'text/event-stream': { schema: text } },
      },
      202: { description: 'The notification was accepted' },
      406: answer(anyObject, 'The Accept header lacks `application/json` or `text/event-stream`'),
    },
    fails: [...bodyFails, 403],
  },
})
