import { findGlobProblem, parsePathGlobs, type PathGlobs } from '@pml/core/path-glob'
import type { Fields, Place } from './fields.ts'
import type { PolicyPath } from './policy.ts'

/** Where `pml` itself is installed, in a glob. */
const INSTALLATION = '${pml}/'

type InScope = (path: PolicyPath) => boolean

export interface ScopeMembers {
  readonly paths?: unknown
  readonly except?: unknown
}

/** Without `paths`, everywhere. */
export function scopeOf(
  fields: Fields,
  { paths, except }: ScopeMembers,
  { place, installation }: { place: Place; installation: readonly string[] },
): InScope {
  const within = anyOf(globsOf(fields, paths, [...place, 'paths']), installation)
  const without = anyOf(globsOf(fields, except, [...place, 'except']), installation)
  return (path) => (paths === undefined || within(path)) && !without(path)
}

/** Those that are sound; what is wrong with the others is reported. */
function globsOf(fields: Fields, value: unknown, place: Place): string[] {
  return fields
    .list(value, place, (item, at) => {
      const text = fields.text(item, at, { most: 200 })
      const problem = text === '' || text.startsWith(INSTALLATION) ? undefined : findGlobProblem(text)
      if (problem !== undefined) fields.report(at, problem)
      return problem === undefined ? text : ''
    })
    .filter((text) => text !== '')
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
