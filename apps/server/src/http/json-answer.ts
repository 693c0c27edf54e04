import type { Context } from 'hono'
import type { Actor } from '../keys/actor.ts'
import { bytesOf, type Answer, type ByteString } from './answer.ts'
import type { Env } from './observe-requests.ts'
import type { Bodies } from './read-body.ts'
import { readJson } from './read-json.ts'

/** Room for a module of 1 MiB with every character escaped in the usual ways. */
export const TOOL_LIMIT_BYTES = 4 * 1024 * 1024

/** The answer to a call may hold a secret. */
export const unkept = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

/** Of frozen outputs, which a tool may give again. */
const printedOutputs = new WeakMap<object, ByteString>()

export function jsonAnswer(output: object): Answer {
  const printed = printedOutputs.get(output) ?? bytesOf(JSON.stringify(output))
  if (Object.isFrozen(output)) printedOutputs.set(output, printed)
  return answerOf(printed)
}

export function printedAnswer(text: string): Answer {
  return answerOf(bytesOf(text))
}

/** The answer to a hook: always 200, and empty where the registry has no objection. */
export function hookAnswer(body: string): Answer {
  return body === ''
    ? { status: 200, headers: { 'Content-Length': '0', ...unkept }, body: '' }
    : printedAnswer(body)
}

function answerOf(body: ByteString): Answer {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    ...unkept,
  }
  return { status: 200, headers, body }
}

/** An empty body means no arguments. */
export async function readToolArguments(bodies: Bodies, c: Context<Env>, actor: Actor): Promise<unknown> {
  const { headers } = c.env.incoming
  const isEmpty = (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined
  return isEmpty ? {} : readJson(bodies, c, { actor, limitBytes: TOOL_LIMIT_BYTES })
}
