import { parsePathGlobs, type PathGlobs } from '@pml/core/path-glob'
import type { PolicyPath } from './policy.ts'

/** Where `pml` itself is installed, in a glob. */
export const INSTALLATION = '${pml}/'

type InScope = (path: PolicyPath) => boolean

export interface ScopeMembers {
  readonly paths?: readonly string[]
  readonly except?: readonly string[]
}

/** Without `paths`, everywhere. */
export function scopeOf({ paths, except = [] }: ScopeMembers, installation: readonly string[]): InScope {
  const within = paths && anyOf(paths, installation)
  const without = except.length === 0 ? never : anyOf(except, installation)
  return (path) => (within === undefined || within(path)) && !without(path)
}

/** What starts with `**` matches a whole path wherever it would match the rest of one. */
function anyOf(globs: readonly string[], installation: readonly string[]): InScope {
  const isOurs = globs.some((glob) => glob.startsWith(INSTALLATION)) ? belowAny(installation) : never
  const plain = globs.filter((glob) => !glob.startsWith(INSTALLATION))
  const isWhole = (glob: string) => glob.startsWith('/') || glob.startsWith('**')
  const whole = lazily(() => parsePathGlobs(plain.filter(isWhole)))
  const below = lazily(() => parsePathGlobs(plain.filter((glob) => !isWhole(glob))))
  return (path) =>
    whole()(path.whole) || (path.relative !== undefined && below()(path.relative)) || isOurs(path)
}

function belowAny(folders: readonly string[]): InScope {
  const below = folders.map((folder) => `${folder.toLowerCase()}/`)
  return ({ whole }) => below.some((folder) => whole.toLowerCase().startsWith(folder))
}

const never: InScope = () => false

/** Of many rules few are ever asked. */
function lazily(make: () => PathGlobs): () => PathGlobs {
  let made: PathGlobs | undefined
  return () => (made ??= make())
}
