import type { Change, Release } from './change.ts'
import { describeContent } from './describe-content.ts'
import { describeKind } from './describe-kind.ts'
import { describePackages } from './describe-packages.ts'

/** Describes what approving `after` in place of `before` means. Without `before` all of `after` is new. Never throws. */
export function describeChange(before: Release | undefined, after: Release): Change {
  const kind = describeKind(before, after)
  const content = describeContent(before, after)
  const tree = describePackages(before, after)
  return {
    ...(content.code && { code: content.code }),
    fields: [...kind.fields, ...content.fields, ...tree.fields],
    ...(tree.packages && { packages: tree.packages }),
    warnings: [...kind.warnings, ...content.warnings, ...tree.warnings],
  }
}
