import { withLineFeeds } from '@pml/core/approvals'
import { countInvisible } from '@pml/core/show-invisible'
import { RE2Set } from 're2js'
import { compilePattern, patternFlags, type CompiledPattern } from './compile-pattern.ts'
import { coverageOf, MOST_WORK } from './coverage-of.ts'
import type { PatternKind } from './require-narrow.ts'

/** Not a valid type name. */
export const EVERY_TYPE = '*'

export interface StoredPattern {
  readonly id: string
  readonly kind: PatternKind
  /** The type of change it applies to, or `any`. */
  readonly type: string
  readonly pattern: string
}

export interface PatternVerdict {
  readonly blockedBy?: string
  readonly approvedBy?: { readonly id: string; readonly coverage: number }
}

export interface PatternSet {
  /**
   * Matches content against the patterns of this type and of type `any`; for `EVERY_TYPE`, against all patterns. Block
   * beats approve, and no pattern approves content with invisible characters.
   */
  find(content: string, type: string): PatternVerdict
  /** Returns the total steps of the patterns that apply to this type. */
  stepsFor(type: string): number
}

/** Compiles the patterns of a type on first use. One that does not compile throws, so nothing is approved. */
export function createPatternSet(patterns: readonly StoredPattern[]): PatternSet {
  const sorted = patterns.toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)))
  const types = new Set(sorted.map(({ type }) => type))
  const searches = new Map<string, Search>()

  function searchFor(type: string): Search {
    const known = type === EVERY_TYPE || types.has(type) ? type : 'any'
    const found = searches.get(known)
    if (found !== undefined) return found
    const counts = (own: string) => own === known || own === 'any' || known === EVERY_TYPE
    const search = createSearch(sorted.filter((pattern) => counts(pattern.type)))
    searches.set(known, search)
    return search
  }

  return {
    find: (content, type) => decide(searchFor(type).match(content), content),
    stepsFor: (type) => searchFor(type).steps,
  }
}

interface ReadyPattern {
  readonly id: string
  readonly kind: PatternKind
  readonly compiled: CompiledPattern
}

interface Search {
  readonly steps: number
  match(content: string): readonly ReadyPattern[]
}

/** Searches for all patterns in one pass, because most content matches none. */
function createSearch(patterns: readonly StoredPattern[]): Search {
  const set = new RE2Set(RE2Set.UNANCHORED, patternFlags)
  const ready = patterns.map(({ id, kind, pattern }) => ({ id, kind, compiled: compilePattern(pattern) }))
  for (const { compiled } of ready) set.add(compiled.text)
  set.compile()
  return {
    steps: ready.reduce((sum, { compiled }) => sum + compiled.engine.programSize(), 0),
    match: (content) => {
      const lines = withLineFeeds(content)
      const found = new Set([...set.match(content), ...(lines === content ? [] : set.match(lines))])
      return ready.filter((_, index) => found.has(index))
    },
  }
}

/** Picks the deciding pattern: the first block, else the widest coverage; the lowest id wins a tie. */
function decide(found: readonly ReadyPattern[], content: string): PatternVerdict {
  const block = found.find(({ kind }) => kind === 'block')
  if (block !== undefined) return { blockedBy: block.id }
  if (countInvisible(content) > 0) return {}
  let best: PatternVerdict['approvedBy']
  // All matching patterns share the work limit of one.
  const share = MOST_WORK / found.length
  for (const { id, compiled } of found) {
    const coverage = coverageOf(compiled, content, share)
    if (coverage !== undefined && coverage > (best?.coverage ?? 0)) best = { id, coverage }
  }
  return best === undefined ? {} : { approvedBy: best }
}
