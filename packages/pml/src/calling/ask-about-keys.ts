import { PmlError } from '@pml/core'
import type { Approval } from '../approvals/approval.ts'
import type { Call, CallParts } from './call-parts.ts'
import { missingIn } from './references.ts'

const REGISTRY_KEY = 'PML_API_KEY'

/** Asks for what the server declares to need and the environment lacks; undefined when it has all. */
export async function askAboutKeys(
  { ops, approvals }: CallParts,
  {
    fetched: { name },
    operation,
    names,
  }: Pick<Call, 'fetched' | 'operation'> & { readonly names: readonly string[] },
): Promise<Approval | undefined> {
  // It opens the registry to whoever holds it, and this server is not the registry.
  if (names.includes(REGISTRY_KEY))
    throw new PmlError(
      'tool_failed',
      `Cannot use ${name}: it wants ${REGISTRY_KEY}, which is for the registry alone; remove it from this workspace`,
    )
  const missing = missingIn(ops.env, names)
  if (missing.length === 0) return undefined
  const description = `${name} needs ${missing.join(', ')} in the environment. Set it where pml runs, then continue.`
  return approvals.ask({ approvalType: 'api_key_required', fqdn: name, missing, description }, operation)
}
