import { isComponent, orgOf, type Name } from './names.ts'

/** Simple scopes; `publish:<pattern>`, `proxy:<pattern>` and `read:<org>` carry an argument. */
const plainScopes = new Set(['admin', 'hook', 'approve', 'pattern'])

export function isScope(text: string): boolean {
  if (plainScopes.has(text)) return true
  const [kind, argument, ...rest] = text.split(':')
  if (argument === undefined || rest.length > 0) return false
  if (kind === 'read') return argument === '*' || isComponent(argument)
  return (kind === 'publish' || kind === 'proxy') && isNamePattern(argument)
}

/** `*`, a whole name, or leading components; a trailing `.*` is allowed. */
function isNamePattern(text: string): boolean {
  if (text === '*') return true
  const components = stemOf(text).split('.')
  return components.length <= 4 && components.every(isComponent)
}

export function mayPublish(scopes: readonly string[], name: Name): boolean {
  return holds(scopes, 'publish', name)
}

/** Reports whether these scopes allow calls through the proxy to the server with this name. */
export function mayProxy(scopes: readonly string[], name: Name): boolean {
  return holds(scopes, 'proxy', name)
}

/** A key that may replace an entry may also see it. */
export function mayRead(scopes: readonly string[], name: Name): boolean {
  return scopes.includes('read:*') || scopes.includes(`read:${orgOf(name)}`) || mayPublish(scopes, name)
}

function holds(scopes: readonly string[], kind: 'publish' | 'proxy', name: Name): boolean {
  const prefix = `${kind}:`
  return scopes.some(
    (scope) => scope === 'admin' || (scope.startsWith(prefix) && covers(scope.slice(prefix.length), name)),
  )
}

function covers(pattern: string, name: Name): boolean {
  const stem = stemOf(pattern)
  return pattern === '*' || name === stem || name.startsWith(`${stem}.`)
}

function stemOf(pattern: string): string {
  return pattern.endsWith('.*') ? pattern.slice(0, -2) : pattern
}
