import type { ApprovalConfig } from '@pml/core/approval-config'
import type { Database } from '../db/connect.ts'
import type { RateLimit } from '../wire/rate-limit.ts'
import type { LivePatterns } from '../patterns/live-patterns.ts'
import type { FindApproval } from './find-approval.ts'
import type { FindContent } from './read-content.ts'
import type { Seats } from './seats.ts'
import type { SpendOnce } from './spend-once.ts'

/** What the verbs of approval work with. */
export interface Approvals {
  readonly db: Database
  /** What config/approvals.json says now. */
  readonly config: () => ApprovalConfig
  readonly patterns: LivePatterns
  readonly findApproval: FindApproval
  readonly findContent: FindContent
  readonly spendOnce: SpendOnce
  readonly waits: Seats
  readonly streams: Seats
  /** Has what was decided told at once to those who wait for it. */
  readonly announce: () => void
  /** Counts checks that failed, for each key: each of them is written down. */
  readonly failedChecks: RateLimit
  /** Counts tokens that are none, for each key. */
  readonly guesses: RateLimit
}
