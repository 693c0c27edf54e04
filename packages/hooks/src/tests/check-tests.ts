import type { TestCheck } from '../policy/policy.ts'
import { skipsKnownTests } from './conditional-skips.ts'
import { hasMoreEmptyTests, isWeaker } from './demands.ts'

interface TestFile {
  readonly path: string
  /** Undefined if there was no file. */
  readonly before: string | undefined
  readonly after: string
}

/** Reports whether the change weakens its tests in the way that the check is about. */
export function checkTests(check: TestCheck, { path, before, after }: TestFile): boolean {
  switch (check) {
    case 'weakened':
      return before !== undefined && isWeaker(before, after, path)
    case 'skipped':
      return skipsKnownTests(before, after, path)
    case 'empty':
      return hasMoreEmptyTests(before ?? '', after, path)
    default:
      throw new Error('unreachable: every check was named')
  }
}
