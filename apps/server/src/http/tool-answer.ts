import { bytesOf, type Answer, type ByteString } from './answer.ts'
import type { Context } from 'hono'
import type { Actor } from '../keys/actor.ts'
import type { Env } from './observe-requests.ts'
import type { Bodies } from './read-body.ts'
import { readJson } from './read-json.ts'

/** Room for a module of 1 MiB with every character escaped in the usual ways. */
export const TOOL_LIMIT_BYTES = 4 * 1024 * 1024

/** The answer to a call may hold a secret. */
export const unkept = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

/** Of frozen outputs, which a tool may give again. */
const printedOutputs = new WeakMap<object, ByteString>()

/** A tool's output as it is sent. */
export function toolAnswer(output: object, requestId: string): Answer {
  const printed = printedOutputs.get(output) ?? bytesOf(JSON.stringify(output))
  if (Object.isFrozen(output)) printedOutputs.set(output, printed)
  return answerOf(printed, requestId)
}

export function jsonAnswer(text: string, requestId: string): Answer {
  return answerOf(bytesOf(text), requestId)
}

function answerOf(body: ByteString, requestId: string): Answer {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'Cache-Control': unkept['Cache-Control'],
    'X-Content-Type-Options': unkept['X-Content-Type-Options'],
    'X-Request-Id': requestId,
  }
  return { status: 200, headers, body }
}

/** An empty body means no arguments. */
export async function readToolArguments(bodies: Bodies, c: Context<Env>, actor: Actor): Promise<unknown> {
  const { headers } = c.req.raw
  const isEmpty =
    headers.get('content-length') === '0' ||
    !(headers.has('content-length') || headers.has('transfer-encoding'))
  return isEmpty ? {} : readJson(bodies, c, { actor, limitBytes: TOOL_LIMIT_BYTES })
}
