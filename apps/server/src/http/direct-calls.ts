import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Leaving, Toolbox, ToolRegistry } from '@pml/tools'
import type { McpEndpoint } from '@pml/tools/mcp'
import { anonymous } from '../keys/actor.ts'
import type { RegistryContext } from '../registry-tools.ts'
import type { ToolCaller } from '../registry-toolbox.ts'
import type { Answer } from './answer.ts'
import { nearestHop } from './caller.ts'
import type { FindForeign } from './foreign-requests.ts'
import type { Bodies, Replayable } from './read-body.ts'
import { parseJson } from './read-json.ts'
import { jsonAnswer, toolAnswer } from './tool-answer.ts'

export interface DirectCallDeps {
  readonly tools: ToolRegistry<RegistryContext>
  readonly toolbox: Toolbox<ToolCaller>
  readonly mcp: McpEndpoint<ToolCaller>
  readonly findForeign: FindForeign
  readonly trustProxy: boolean
  readonly bodies: Bodies
}

/** A call of a tool that can be answered past the routes. */
export interface DirectCall {
  readonly route: string
  /** Undefined for what turns out to be unusual: it is for the routes, which find its body in `rawBody`. */
  answer(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<Answer | undefined>
}

const TOOLS = '/tools/'
/** As much as anyone may send without a key. */
export const DIRECT_LIMIT_BYTES = 64 * 1024

/** Calls without a key, sent in the usual way. Over HTTP only of what anyone may use and changes nothing. */
export function findDirectCall(deps: DirectCallDeps, request: IncomingMessage): DirectCall | undefined {
  const { url = '' } = request
  if (!isPlain(request, deps.findForeign)) return undefined
  if (url === '/mcp') return { route: '/mcp', answer: mcpAnswer(deps) }
  const name = url.slice(TOOLS.length)
  const tool = url.startsWith(TOOLS) ? deps.tools.find(name) : undefined
  if (tool?.name !== name || tool.effect !== 'read' || tool.scope !== undefined) return undefined
  return { route: '/tools/:name', answer: callAnswer(deps, tool.name) }
}

function isPlain({ method, headers }: IncomingMessage, findForeign: FindForeign): boolean {
  return (
    method === 'POST' &&
    headers.authorization === undefined &&
    headers.expect === undefined &&
    headers['content-type'] === 'application/json' &&
    isSmall(Number(headers['content-length'])) &&
    findForeign(fieldsOf(headers)) === undefined
  )
}

export function isSmall(length: number): boolean {
  return length > 0 && length <= DIRECT_LIMIT_BYTES
}

function callAnswer({ toolbox, trustProxy, bodies }: DirectCallDeps, name: string): DirectCall['answer'] {
  return async (request, response, requestId) => {
    const args = await bodies.read(request, anyone, (bytes) => parseJson(bytes))
    const call = { name, args, leaving: leavingOf(response) }
    return toolAnswer(await toolbox.call(callerOf(request, requestId, trustProxy), call), requestId)
  }
}

function mcpAnswer({ mcp, trustProxy, bodies }: DirectCallDeps): DirectCall['answer'] {
  return async (request, response, requestId) => {
    const body = await bodies.read(request, anyone, (bytes) => {
      Object.assign(request, { rawBody: bytes } satisfies Replayable)
      return tryJson(bytes)
    })
    const message = { headers: fieldsOf(request.headers), body, leaving: leavingOf(response) }
    const text = await mcp.answerDirectly(message, callerOf(request, requestId, trustProxy))
    return text === undefined ? undefined : jsonAnswer(text, requestId)
  }
}

const anyone = { actor: anonymous, limitBytes: DIRECT_LIMIT_BYTES }

function callerOf({ socket, headers }: IncomingMessage, requestId: string, trustProxy: boolean): ToolCaller {
  const forwarded = trustProxy && String(headers['x-forwarded-for'] ?? '')
  return { actor: anonymous, address: nearestHop(socket.remoteAddress, forwarded), requestId }
}

function leavingOf(response: ServerResponse): Leaving {
  return (listener) => {
    if (response.destroyed) listener()
    else response.on('close', listener)
    return () => response.off('close', listener)
  }
}

function fieldsOf(headers: IncomingHttpHeaders): Pick<Headers, 'get'> {
  return {
    get: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : (value ?? null)
    },
  }
}

/** What is wrong with it, the routes say. */
function tryJson(bytes: Buffer): unknown {
  try {
    return parseJson(bytes)
  } catch {
    return undefined
  }
}
