import { parsePathGlobs } from '@pml/core/path-glob'
import { agents } from '../agents/find-agent.ts'
import type { PolicyPath } from './policy.ts'

/** Where `pml` itself is installed, in a glob. */
export const INSTALLATION = '${pml}/'

/** As a glob: the settings of all agents. As a command: whatever starts an agent without its hooks. */
export const AGENTS = '${agents}'

type InScope = (path: PolicyPath) => boolean

interface ScopeMembers {
  readonly paths?: readonly string[]
  readonly except?: readonly string[]
}

/** Without `paths`, everywhere. */
export function scopeOf({ paths, except = [] }: ScopeMembers, installation: readonly string[]): InScope {
  const within = paths && lazily(() => anyOf(paths, installation))
  const without = except.length === 0 ? undefined : lazily(() => anyOf(except, installation))
  return (path) => (within === undefined || within(path)) && !(without?.(path) ?? false)
}

/** A pattern that starts with `**` matches a whole path if it would match the end of one. */
function anyOf(written: readonly string[], installation: readonly string[]): InScope {
  const globs = written.flatMap((glob) => (glob === AGENTS ? agents.flatMap(({ guarded }) => guarded) : glob))
  const isOurs = (glob: string) => glob.startsWith(INSTALLATION)
  const isWhole = (glob: string) => glob.startsWith('/') || glob.startsWith('**')
  const whole = parsePathGlobs(globs.filter(isWhole))
  const below = parsePathGlobs(globs.filter((glob) => !isWhole(glob) && !isOurs(glob)))
  const ours = globs.some(isOurs) ? belowAny(installation) : undefined
  return (path) =>
    whole(path.whole) || (path.relative !== undefined && below(path.relative)) || (ours?.(path) ?? false)
}

/** Matches everything in the folders, at any depth, or with `/*` only their `.json` files; and each of them itself. */
function belowAny(folders: readonly string[]): InScope {
  const matches = folders.map((folder) => {
    const start = folder.toLowerCase().replace(/\/\*?$/, '')
    if (!folder.endsWith('/*')) return (path: string) => `${path}/`.startsWith(`${start}/`)
    return (path: string) =>
      path === start || (path.endsWith('.json') && path.slice(0, path.lastIndexOf('/')) === start)
  })
  return ({ whole }) => {
    const path = whole.toLowerCase()
    return matches.some((isMatch) => isMatch(path))
  }
}

/** Lazy: most rules are never checked. */
function lazily(make: () => InScope): InScope {
  let made: InScope | undefined
  return (path) => (made ??= make())(path)
}
