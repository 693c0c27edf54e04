import { findNamedSecret } from '@pml/core/secret-literals'
import type { LocalServer } from '@pml/core/local-servers'

/** Where a server has what looks like a secret, such as `env.TOKEN`. */
export function findSecrets({ launch }: LocalServer): string[] {
  const [part, values] = launch.kind === 'http' ? ['headers', launch.headers] : ['env', launch.env]
  return Object.entries(values)
    .filter(([name, value]) => findNamedSecret(name, value) !== undefined)
    .map(([name]) => `${part}.${name}`)
}
