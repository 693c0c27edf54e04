import { PmlError } from '@pml/core'
import { OTHER_TYPE, type ApprovalConfig, type ChangeType, type ProofKind } from '@pml/core/approval-config'
import { specialistSlug } from '@pml/core/approvals'
import { EVERY_TYPE } from './pattern-set.ts'

/** Returns an error if the given approver is not the key's specialist. */
export function findMismatch(
  approver: string | undefined,
  specialist: string | undefined,
): PmlError | undefined {
  if (approver === undefined) return undefined
  if (specialist !== undefined && isSame(approver, specialist)) return undefined
  return new PmlError(
    'approver_mismatch',
    `Cannot decide as '${approver}': the key belongs to '${specialist ?? 'no specialist'}'; omit the name, or use that specialist's key`,
    { specialist },
  )
}

/** Returns an error if the type of change is for other specialists. */
export function findWrongSpecialist(
  specialist: string,
  { name, specialists }: Pick<ChangeType, 'name' | 'specialists'>,
): PmlError | undefined {
  if (specialists.some((one) => one === '*' || isSame(one, specialist))) return undefined
  return new PmlError(
    'wrong_specialist',
    `Cannot decide about a change of type ${name}: that is for ${specialists.join(', ')}`,
    { type: name, specialists },
  )
}

/** Returns an error if the type of change needs proof of a person and there is none. */
export function findMissingProof(
  given: ProofKind | undefined,
  { name, proof }: Pick<ChangeType, 'name' | 'proof'>,
): PmlError | undefined {
  if (proof.length === 0 || (given !== undefined && proof.includes(given))) return undefined
  return new PmlError(
    'person_required',
    `Cannot approve a change of type ${name}: expected proof of a person (${proof.join(', ')}), got ${given ?? 'none'}; approve it with pml in your own terminal`,
    { type: name, proof },
  )
}

/** Returns the type that a change was stored with, or the type of its path if the configuration has dropped it. */
export function typeOfChange(
  config: ApprovalConfig,
  { type, path }: { readonly type: string; readonly path: string },
): ChangeType {
  return config.findType(type) ?? config.typeOf(path)
}

/** Returns the type whose patterns apply. If every specialist may decide, patterns of all types apply. */
export function patternTypeOf({ name, specialists }: Pick<ChangeType, 'name' | 'specialists'>): string {
  return name === OTHER_TYPE && specialists.includes('*') ? EVERY_TYPE : name
}

function isSame(one: string, other: string): boolean {
  return specialistSlug(one) === specialistSlug(other)
}
