import type { Approvals } from '../changes/approvals.ts'
import type { Judge } from './judge.ts'
import type { Enforcement } from './parse-enforcement.ts'

/** What hooks over HTTP are answered with. */
export interface Hooks {
  readonly approvals: Approvals
  /** What config/enforcement.json says now; throws where nobody knows. */
  readonly enforcement: () => Enforcement
  readonly judge: Judge
  readonly now: () => Date
}
