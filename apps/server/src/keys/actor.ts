import { mayProxy, mayPublish, PmlError, type Name } from '@pml/core'

/** Who asks, as the key says. */
export interface Actor {
  readonly id: string
  readonly scopes: readonly string[]
  readonly specialist: string | undefined
}

export const anonymous: Actor = { id: 'anonymous', scopes: [], specialist: undefined }

/** The server itself, when it brings files into the database. */
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

/** Why an actor may not use what asks for this scope; whether it may publish under a name is asked again with the name. */
export function findRefusal(actor: Actor, scope: string): PmlError | undefined {
  const holds = actor.scopes.some(
    (held) => held === 'admin' || held === scope || held.startsWith(`${scope}:`),
  )
  return holds ? undefined : refused(actor, scope === 'publish' ? 'publish:<pattern>' : scope)
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
