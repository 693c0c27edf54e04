import { createRateLimit } from '../wire/rate-limit.ts'
import type { Approvals } from './approvals.ts'
import { createFindApproval } from './find-approval.ts'
import { createLivePatterns } from '../patterns/live-patterns.ts'
import { createFindContent } from './read-content.ts'
import { createSeats } from './seats.ts'
import { createSpendOnce } from './spend-once.ts'

/** Enough for mistyped tokens, far too few to guess 128 bits. */
const GUESSES_PER_MINUTE = 20
const FAILED_CHECKS_PER_MINUTE = 6000

export function createApprovals({
  db,
  config,
  announce,
}: Pick<Approvals, 'db' | 'config' | 'announce'>): Approvals {
  const limit = (perMinute: number) => createRateLimit({ perMinute, now: () => performance.now() })
  return {
    db,
    config,
    announce,
    patterns: createLivePatterns(db),
    findApproval: createFindApproval(db),
    findContent: createFindContent(db),
    spendOnce: createSpendOnce(db),
    waits: createSeats({ most: 1000, perKey: 200 }),
    streams: createSeats({ most: 200, perKey: 50 }),
    failedChecks: limit(FAILED_CHECKS_PER_MINUTE),
    guesses: limit(GUESSES_PER_MINUTE),
  }
}
