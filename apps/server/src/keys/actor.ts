import { mayProxy, mayPublish, PmlError, type Name } from '@pml/core'
import { ANONYMOUS_ID } from '../wire/read-body.ts'

/** The authenticated caller. */
export interface Actor {
  readonly id: string
  readonly scopes: readonly string[]
  readonly specialist: string | undefined
  /** When the secret of the key was set, in microseconds; absent without a key. */
  readonly secretAt?: string
}

export const anonymous: Actor = { id: ANONYMOUS_ID, scopes: [], specialist: undefined }

/** The server itself, when it loads files into the database. */
export const system: Actor = { id: 'system', scopes: [], specialist: undefined }

export function requireAdmin(actor: Actor): void {
  if (!actor.scopes.includes('admin')) throw refused(actor, 'admin')
}

export function requirePublish(actor: Actor, name: Name): void {
  const [org, project] = name.split('.')
  if (!mayPublish(actor.scopes, name)) throw refused(actor, `publish:${org}.${project}.*`)
}

export function requireProxy(actor: Actor, name: Name): void {
  if (!mayProxy(actor.scopes, name)) throw refused(actor, `proxy:${name}`)
}

/** Requires the right to read private entries of every org. */
export function requireReadAll(actor: Actor): void {
  if (!mayReadAll(actor)) throw refused(actor, 'read:*')
}

export function mayReadAll({ scopes }: Actor): boolean {
  return scopes.some((scope) => ['admin', 'read:*', 'publish:*'].includes(scope))
}

/** Requires a scope; `a|b` means either. An admin has all of them. */
export function requireScope(actor: Actor, scope: string): void {
  const refusal = findRefusal(actor, scope)
  if (refusal) throw refusal
}

/** Returns the specialist of the key. An admin key without one is refused: reviews must name a specialist. */
export function requireSpecialist(actor: Actor): string {
  if (!actor.scopes.includes('approve') || actor.specialist === undefined) throw refused(actor, 'approve')
  return actor.specialist
}

/** Returns the error for an actor without the scope, or undefined. `requirePublish` also checks the name. */
export function findRefusal(actor: Actor, scope: string): PmlError | undefined {
  const wanted = scope.split('|')
  const holds = actor.scopes.some(
    (held) => held === 'admin' || wanted.some((one) => held === one || held.startsWith(`${one}:`)),
  )
  return holds ? undefined : refused(actor, scope === 'publish' ? 'publish:<pattern>' : wanted.join(' or '))
}

function refused(actor: Actor, scope: string): PmlError {
  if (actor === anonymous) {
    return new PmlError(
      'unauthorized',
      `Cannot do this without a key: send "Authorization: Bearer pml_…" with scope ${scope}`,
    )
  }
  return new PmlError('forbidden', `Cannot do this with key ${actor.id}: it lacks the scope ${scope}`, {
    scope,
  })
}
