import type { Change, FieldChange, Release } from './change.ts'
import { diffFields } from './diff-fields.ts'

/** The registry's facts about an entry besides its content. */
export function describeKind(before: Release | undefined, after: Release): Change {
  const fields = diffKind(before, after)
  if (before === undefined)
    return { fields, warnings: ['the previous release is unknown: all of the new release is shown'] }
  return { fields, warnings: [...warnOfType(before, after), ...warnOfRouting(before, after)] }
}

export function diffKind(before: Release | undefined, after: Release): FieldChange[] {
  const [old, now] = [before, after].map(
    (release) => release && { type: release.type, routing: release.routing },
  )
  return diffFields('', { before: old, after: now })
}

function warnOfType({ type: before }: Release, { type: after }: Release): string[] {
  if (before === after) return []
  if (after === 'deno') return ['a document became code']
  if (before === 'deno') return ['code became a document']
  return [after === 'http' ? 'a local server became a remote one' : 'a remote server became a local one']
}

function warnOfRouting({ routing: before }: Release, { routing: after }: Release): string[] {
  return before === after ? [] : [`it now runs on the ${after}, no longer on the ${before}`]
}
