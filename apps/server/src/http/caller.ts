import type { IncomingMessage } from 'node:http'
import type { Leaving } from '@pml/tools'
import type { Context } from 'hono'
import type { Entry } from '../catalog/entry.ts'
import { isConnectionError, type Database } from '../db/connect.ts'
import { anonymous, findRefusal, type Actor } from '../keys/actor.ts'
import { authenticate, RefusedKey } from '../keys/authenticate.ts'
import type { FindKey } from '../keys/find-key.ts'
import type { KeyFollower } from '../keys/follow-keys.ts'
import { noteScope, type Refusals } from '../keys/refusals.ts'
import type { ToolCaller } from '../registry-toolbox.ts'
import type { FindForeign } from '../wire/foreign-requests.ts'
import type { Env } from './observe-requests.ts'
import type { RateLimit } from '../wire/rate-limit.ts'

export interface CallerDeps {
  readonly db: Database
  readonly findKey: FindKey
  readonly keys: Pick<KeyFollower, 'watch'>
  readonly failures: RateLimit
  readonly refusals: Refusals
  readonly writes: RateLimit
  readonly trustProxy: boolean
  readonly findForeign: FindForeign
}

/**
 * Who reads: anyone, or a valid key. Failed keys are counted by address. What is public and near at hand needs no key,
 * so a database that cannot be asked about one is no reason to refuse it.
 */
export async function readerOf(deps: CallerDeps, c: Context<Env>, held?: Entry): Promise<Actor> {
  try {
    const actor = await authenticate(deps, c.env.incoming.headers.authorization)
    if (actor !== anonymous) endWithKey(deps, c, actor)
    return actor
  } catch (error) {
    if (error instanceof RefusedKey) await noteRefusal(deps, error, addressOf(c, deps.trustProxy))
    if (held?.visibility === 'public' && isConnectionError(error)) return anonymous
    throw error
  }
}

/** A response that lasts longer than its key is cut off. */
function endWithKey({ keys }: CallerDeps, c: Context<Env>, actor: Actor): void {
  const response = c.env.outgoing
  if (!response.closed)
    onClose(
      c,
      keys.watch(actor, () => response.destroy()),
    )
}

/** When the caller goes away; made without the request's signal, which costs as much as a small call. */
export function leavingOf(c: Context<Env>): Leaving {
  const { outgoing } = c.env
  return (listener) => {
    if (outgoing.destroyed) listener()
    else outgoing.on('close', listener)
    return () => outgoing.off('close', listener)
  }
}

/** Does this when the response has ended, in whichever way. */
export function onClose(c: Context<Env>, work: () => void): void {
  const response = c.env.outgoing
  if (!response.closed) response.once('close', work)
  else work()
}

/** Who asks for health: anyone, also while the database cannot be asked whose key it is. */
export async function healthReaderOf(deps: CallerDeps, c: Context): Promise<Actor> {
  return readerOf(deps, c).catch((error: unknown) => {
    if (isConnectionError(error)) return anonymous
    throw error
  })
}

async function noteRefusal(
  { failures, refusals }: CallerDeps,
  { keyId, reason }: RefusedKey,
  address: string,
): Promise<void> {
  const refusal = { keyId, reason, address }
  try {
    failures.take(address)
  } catch (tooMany) {
    refusals.count(refusal)
    throw tooMany
  }
  await refusals.note(refusal)
}

/** Who writes: counted by key, or by address where there is none (the verb then refuses). */
export async function writerOf(deps: CallerDeps, c: Context<Env>): Promise<Actor> {
  const actor = await readerOf(deps, c)
  if (actor === anonymous) deps.failures.take(addressOf(c, deps.trustProxy))
  else deps.writes.take(actor.id)
  return actor
}

/** The same for what asks for a scope: whoever lacks it is told so before anything of the body is read. */
export async function writerWith(deps: CallerDeps, c: Context<Env>, scope: string): Promise<Actor> {
  const actor = await writerOf(deps, c)
  const refusal = findRefusal(actor, scope)
  if (!refusal) return actor
  if (actor !== anonymous) await noteScope(deps.refusals, actor, addressOf(c, deps.trustProxy))
  throw refusal
}

/** A browser sends what any page tells it to, keys included where it knows one. */
export function requireOwn({ findForeign }: CallerDeps, c: Context<Env>): void {
  const foreign = findForeign(c.env.incoming.headers)
  if (foreign) throw foreign
}

/** Who calls a tool: counted by the tool's effect, once it is known which tool. */
export async function toolCallerOf(deps: CallerDeps, c: Context<Env>): Promise<ToolCaller> {
  const actor = await readerOf(deps, c)
  return { actor, address: addressOf(c, deps.trustProxy), requestId: c.get('requestId') }
}

export function addressOf(c: Context<Env>, trustProxy: boolean): string {
  return nearestHop(c.env.incoming, trustProxy)
}

/** The nearest that we can know: the last address that a trusted proxy noted, else the socket's peer. */
export function nearestHop({ socket, headers }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(headers['x-forwarded-for'] ?? '') : ''
  return forwarded.split(',').at(-1)?.trim() || (socket.remoteAddress ?? 'unknown')
}
