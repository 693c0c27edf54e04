import { findLocalServer, isLocal, PmlError, type Name } from '@pml/core'

/** What is of this machine is asked of no registry, and taken from none. */
export function requireOfRegistry(name: Name): void {
  if (!isLocal(name)) return
  const server = findLocalServer(name)
  const fix = server === undefined ? 'choose another name' : `"pml mcp test ${server}" starts it`
  throw new PmlError(
    'invalid_fqdn',
    `Cannot fetch ${name}: names that begin with local are of servers on this machine, and no registry has them; ${fix}`,
  )
}
