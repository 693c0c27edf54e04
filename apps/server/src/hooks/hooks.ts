import type { Policy } from '@pml/hooks'
import type { Approvals } from '../approvals/approvals.ts'

/** What hooks over HTTP are answered with. */
export interface Hooks {
  readonly approvals: Approvals
  /** What config/enforcement.json says now; throws where nobody knows. */
  readonly policy: () => Policy
  readonly now: () => Date
}
