import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ToolRegistry, Toolbox } from '@pml/tools'
import { anonymous } from '../keys/actor.ts'
import type { RegistryContext } from '../registry-tools.ts'
import type { ToolCaller } from '../registry-toolbox.ts'
import type { Answer } from './answer.ts'
import { parseJson } from './read-json.ts'
import { toolAnswer } from './tool-answer.ts'

export interface DirectCallDeps {
  readonly tools: ToolRegistry<RegistryContext>
  readonly toolbox: Toolbox<ToolCaller>
}

const TOOLS = '/tools/'
const MOST_BYTES = 64 * 1024

/** The tool of a call that needs no key and changes nothing, sent in the usual way; everything else is for the routes. */
export function findDirectTool(
  { tools }: DirectCallDeps,
  { method, url = '', headers }: IncomingMessage,
): string | undefined {
  if (method !== 'POST' || !url.startsWith(TOOLS)) return undefined
  const isPlain =
    headers.authorization === undefined &&
    headers.origin === undefined &&
    headers.expect === undefined &&
    headers['content-type'] === 'application/json' &&
    Number(headers['content-length']) <= MOST_BYTES
  const tool = isPlain ? tools.find(url.slice(TOOLS.length)) : undefined
  return tool?.effect === 'read' && tool.scope === undefined ? tool.name : undefined
}

export async function callDirectly(
  { toolbox }: DirectCallDeps,
  { request, response, name, requestId }: DirectCall,
): Promise<Answer> {
  const caller = { actor: anonymous, address: request.socket.remoteAddress ?? 'unknown', requestId }
  const args = parseJson(await readWhole(request))
  const leaving = (listener: () => void) => {
    if (response.destroyed) listener()
    else response.once('close', listener)
    return () => response.off('close', listener)
  }
  return toolAnswer(await toolbox.call(caller, { name, args, leaving }))
}

interface DirectCall {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly name: string
  readonly requestId: string
}

/** Its length was announced, and node:http holds the sender to it. */
function readWhole(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((done, fail) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', fail)
  })
}
