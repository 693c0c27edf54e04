import { join } from 'node:path'
import { agents, type Agent, type HookedAgent, type Scope } from '@pml/hooks/agents'

interface Where {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The user's folder of an agent, and the folder that links must not lead out of. */
export function agentFolderOf({ home: own }: Pick<Agent, 'home'>, { home, env }: Where) {
  const { path = [], variable, below = [] } = own ?? {}
  const moved = variable === undefined ? undefined : env[variable] || undefined
  if (moved === undefined) return { base: home, folder: join(home, ...path) }
  return { base: moved, folder: join(moved, ...below) }
}

/** The settings file with the hooks of an agent. */
export function settingsFileOf(
  agent: HookedAgent,
  scope: Scope,
  { root, ...where }: Where & { readonly root: string },
): { readonly base: string; readonly path: string } {
  const { files } = agent.hooks.settings
  if (scope === 'project') return { base: root, path: join(root, ...files.project) }
  const { base, folder } = agentFolderOf(agent, where)
  return { base, path: join(folder, ...files.user) }
}

/** The folder of settings managed by an administrator; those of other agents are beside it. */
export function managedFolderOf(platform: NodeJS.Platform): string {
  const paths = agents.map(({ admin }: Agent) => admin?.paths).find((one) => one !== undefined)
  if (paths === undefined) throw new TypeError('No agent has settings of an administrator')
  return platform === 'darwin' || platform === 'win32' ? paths[platform] : paths.linux
}
