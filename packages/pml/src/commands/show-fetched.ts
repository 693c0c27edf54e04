import type { Approval } from '../api/approval.ts'
import type { Added, Answered, Called, Fetched, Opened } from '../api/pml.ts'

/** Returns the outcome as JSON: fetched bytes become text. */
export function showFetched(outcome: Fetched | Called | Added | Answered | Opened | Approval): {
  approvalRequired: boolean
} {
  if (!('bytes' in outcome)) return outcome
  const { bytes, ...facts } = outcome
  return { ...facts, sizeBytes: bytes.length, content: new TextDecoder().decode(bytes) } as typeof facts
}
