import { PmlError } from '@pml/core'
import { OTHER_TYPE, type ApprovalConfig, type ChangeType, type ProofKind } from '@pml/core/approval-config'
import { specialistSlug } from '@pml/core/approvals'
import { EVERY_TYPE } from './pattern-set.ts'

/** Why somebody may not speak under this name: it is not that of the key. */
export function findMismatch(
  approver: string | undefined,
  specialist: string | undefined,
): PmlError | undefined {
  if (approver === undefined) return undefined
  if (specialist !== undefined && isSame(approver, specialist)) return undefined
  return new PmlError(
    'approver_mismatch',
    `Cannot decide as '${approver}': the key is that of '${specialist ?? 'no specialist'}'; leave the name out, or use the key of that specialist`,
    { specialist },
  )
}

/** Why a specialist may not decide about a kind of change: it is for others. */
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

/** Why an approval does not count: the type of the change asks for a person, and none is proven. */
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

/** The type that a change was stored with, or that of its path where there is no such type any more. */
export function typeOfChange(
  config: ApprovalConfig,
  { type, path }: { readonly type: string; readonly path: string },
): ChangeType {
  return config.findType(type) ?? config.typeOf(path)
}

/** Under which type patterns look at content: where everybody may decide, patterns of every type count. */
export function patternTypeOf({ name, specialists }: Pick<ChangeType, 'name' | 'specialists'>): string {
  return name === OTHER_TYPE && specialists.includes('*') ? EVERY_TYPE : name
}

function isSame(one: string, other: string): boolean {
  return specialistSlug(one) === specialistSlug(other)
}
