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
 * Authenticates a reader: anonymous, or the holder of a valid key. Failed keys count against the address. When the
 * database is down, a cached public entry (`held`) is served without checking the key.
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

/** Closes the response when its key is revoked, rotated or expires. */
function endWithKey({ keys }: CallerDeps, c: Context<Env>, actor: Actor): void {
  const response = c.env.outgoing
  if (!response.closed)
    onClose(
      c,
      keys.watch(actor, () => response.destroy()),
    )
}

/** Calls the listener when the client disconnects. Avoids `request.signal`, which costs as much as a small call. */
export function leavingOf(c: Context<Env>): Leaving {
  const { outgoing } = c.env
  return (listener) => {
    if (outgoing.destroyed) listener()
    else outgoing.on('close', listener)
    return () => outgoing.off('close', listener)
  }
}

/** Runs `work` once the response has ended, normally or not. */
export function onClose(c: Context<Env>, work: () => void): void {
  const response = c.env.outgoing
  if (!response.closed) response.once('close', work)
  else work()
}

/** Authenticates a caller of the health routes; treats everyone as anonymous while the database is down. */
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

/** Authenticates a writer and counts the request by key, or by address without one (the verb then refuses). */
export async function writerOf(deps: CallerDeps, c: Context<Env>): Promise<Actor> {
  const actor = await readerOf(deps, c)
  if (actor === anonymous) deps.failures.take(addressOf(c, deps.trustProxy))
  else deps.writes.take(actor.id)
  return actor
}

/** Authenticates a writer as `writerOf` does; refuses one without the scope before the body is read. */
export async function writerWith(deps: CallerDeps, c: Context<Env>, scope: string): Promise<Actor> {
  const actor = await writerOf(deps, c)
  const refusal = findRefusal(actor, scope)
  if (!refusal) return actor
  if (actor !== anonymous) await noteScope(deps.refusals, actor, addressOf(c, deps.trustProxy))
  throw refusal
}

/** Refuses requests that a foreign web page made a browser send (CSRF, DNS rebinding). */
export function requireOwn({ findForeign }: CallerDeps, c: Context<Env>): void {
  const foreign = findForeign(c.env.incoming.headers)
  if (foreign) throw foreign
}

/** Authenticates a caller of tools. The toolbox counts the call, because limits depend on the tool's effect. */
export async function toolCallerOf(deps: CallerDeps, c: Context<Env>): Promise<ToolCaller> {
  const actor = await readerOf(deps, c)
  return { actor, address: addressOf(c, deps.trustProxy), requestId: c.get('requestId') }
}

export function addressOf(c: Context<Env>, trustProxy: boolean): string {
  return nearestHop(c.env.incoming, trustProxy)
}

/** The client's address: the last one in X-Forwarded-For if the proxy is trusted, else the socket's peer. */
export function nearestHop({ socket, headers }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(headers['x-forwarded-for'] ?? '') : ''
  return forwarded.split(',').at(-1)?.trim() || (socket.remoteAddress ?? 'unknown')
}
