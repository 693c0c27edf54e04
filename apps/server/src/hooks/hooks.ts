import type { Approvals } from '../changes/approvals.ts'
import type { Judge } from './judge.ts'
import type { Enforcement } from './parse-enforcement.ts'

/** The dependencies of hooks over HTTP. */
export interface Hooks {
  readonly approvals: Approvals
  /** Returns the current config/enforcement.json; throws if none could be read. */
  readonly enforcement: () => Enforcement
  readonly judge: Judge
  readonly now: () => Date
}
