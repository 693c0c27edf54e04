import { findGlobProblem, parsePathGlob, type PathGlob } from '@pml/core/path-glob'
import type { Fields, Place } from './fields.ts'
import type { PolicyPath } from './policy.ts'

/** Where `pml` itself is installed, in a glob. */
const INSTALLATION = '${pml}'

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
  const read = (value: unknown, name: string) =>
    fields.list(value, [...place, name], (item, at) => globOf(fields, { item, at, installation }))
  const [within, without] = [read(paths, 'paths'), read(except, 'except')]
  return (path) =>
    (paths === undefined || within.some((glob) => glob(path))) && !without.some((glob) => glob(path))
}

interface GlobPlace {
  readonly item: unknown
  readonly at: Place
  readonly installation: readonly string[]
}

function globOf(fields: Fields, { item, at, installation }: GlobPlace): InScope {
  const text = fields.text(item, at, { most: 200 })
  if (text.startsWith(`${INSTALLATION}/`)) return belowAny(installation)
  const problem = text === '' ? undefined : findGlobProblem(text)
  if (problem !== undefined) fields.report(at, problem)
  if (problem !== undefined || text === '') return () => false
  const glob = lazily(() => parsePathGlob(text))
  const isWhole = text.startsWith('/') || text.startsWith('**')
  return ({ whole, relative }) => {
    if (isWhole && glob()(whole)) return true
    return relative !== undefined && !text.startsWith('/') && glob()(relative)
  }
}

function belowAny(folders: readonly string[]): InScope {
  const below = folders.map((folder) => `${folder.toLowerCase()}/`)
  return ({ whole }) => below.some((folder) => whole.toLowerCase().startsWith(folder))
}

/** Of many rules few are ever asked. */
function lazily(make: () => PathGlob): () => PathGlob {
  let made: PathGlob | undefined
  return () => (made ??= make())
}
