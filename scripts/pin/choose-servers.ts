import { type PackageSpec, packageSpecOf, PmlError, type ServerConfig } from '@pml/core'

export interface Choice {
  readonly config: ServerConfig
  /** Undefined if the command line does not name a registry package. */
  readonly wanted: PackageSpec | undefined
}

/** The named servers, or all that npx starts. */
export function chooseServers(servers: readonly ServerConfig[], names: readonly string[]): Choice[] {
  const npx = servers.filter(({ command }) => /(?:^|[/\\])npx(?:\.cmd|\.exe)?$/.test(command ?? ''))
  const chosen = names.length === 0 ? npx : names.map((name) => requireServer(name, { servers, npx }))
  return chosen.map((config) => ({ config, wanted: packageSpecOf(config) }))
}

interface Known {
  readonly servers: readonly ServerConfig[]
  readonly npx: readonly ServerConfig[]
}

function requireServer(name: string, { servers, npx }: Known): ServerConfig {
  const found = npx.find(({ server }) => server === name)
  if (found !== undefined) return found
  const other = servers.find(({ server }) => server === name)
  const got =
    other === undefined ? 'no server of that name' : `a server that ${other.command ?? 'a url'} serves`
  const choices = npx.map(({ server }) => server).join(', ') || 'none'
  throw new PmlError(
    'bad_request',
    `Cannot pin '${name}': expected a server that npx starts, got ${got}; there are: ${choices}`,
  )
}
