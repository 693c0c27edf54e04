import type { Flag, Severity } from '@pml/core/schemas'
import type { Snapshot } from '../../changes/snapshot.ts'
import { findFastApprovals } from './fast-approval.ts'
import { findGuessing } from './guessing.ts'
import { findInvisibleCharacters } from './invisible-characters.ts'
import { findManyRejections } from './many-rejections.ts'
import { findOneApprover } from './one-approver.ts'
import { findOverturnedPatterns, findThinPatterns, findWornPatterns } from './pattern-abuse.ts'
import { findSelfApprovals, findWrongNames } from './refused-decisions.ts'

const kinds = [
  findSelfApprovals,
  findGuessing,
  findManyRejections,
  findFastApprovals,
  findOneApprover,
  findWornPatterns,
  findOverturnedPatterns,
  findThinPatterns,
  findWrongNames,
  findInvisibleCharacters,
]
const weights: Record<Severity, number> = { serious: 0, warning: 1, info: 2 }

/** Finds suspicious behaviour, worst first. Flags prove nothing, so nothing is refused because of them. */
export async function findFlags(snapshot: Snapshot): Promise<Flag[]> {
  const found: Flag[] = []
  for (const find of kinds) found.push(...(await find(snapshot)))
  return found.toSorted((one, other) => weights[one.severity] - weights[other.severity])
}
