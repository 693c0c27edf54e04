import type { ApprovalConfig } from '@pml/core/approval-config'
import type { Database } from '../db/connect.ts'
import type { RateLimit } from '../wire/rate-limit.ts'
import type { LivePatterns } from '../patterns/live-patterns.ts'
import type { FindApproval } from './find-approval.ts'
import type { FindContent } from './read-content.ts'
import type { Seats } from './seats.ts'
import type { SpendOnce } from './spend-once.ts'

/** The dependencies of the operations on changes and approvals. */
export interface Approvals {
  readonly db: Database
  /** The current contents of config/approvals.json. */
  readonly config: () => ApprovalConfig
  readonly patterns: LivePatterns
  readonly findApproval: FindApproval
  readonly findContent: FindContent
  readonly spendOnce: SpendOnce
  readonly waits: Seats
  readonly streams: Seats
  /** Publishes new decisions to the waiting requests and streams immediately. */
  readonly announce: () => void
  /** Limits failed checks per key, because each one writes an audit event. */
  readonly failedChecks: RateLimit
  /** Limits invalid tokens per key. */
  readonly guesses: RateLimit
}
