import { serveRequests } from '../serve-requests.ts'
import { createPatternSet, type PatternSet, type PatternVerdict, type StoredPattern } from './pattern-set.ts'

/** Matches large content in a child process, because linear time can still be long. */

export interface PatternRequest {
  readonly revision: number
  readonly patterns: readonly StoredPattern[]
  readonly content: string
  readonly type: string
}

let held: { readonly revision: number; readonly set: PatternSet } | undefined

serveRequests(({ revision, patterns, content, type }: PatternRequest): PatternVerdict => {
  if (held?.revision !== revision) held = { revision, set: createPatternSet(patterns) }
  return held.set.find(content, type)
})
