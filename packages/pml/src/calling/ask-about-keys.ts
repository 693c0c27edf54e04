import { PmlError } from '@pml/core'
import type { Approval } from '../approvals/approval.ts'
import type { Call, CallParts } from './call-parts.ts'
import { GATEWAY_TOKEN, missingIn, ownKeys } from './references.ts'

/** Asks for what the server declares to need and the environment lacks; undefined when it has all. */
export async function askAboutKeys(
  { ops, approvals }: CallParts,
  {
    fetched: { name },
    operation,
    names,
  }: Pick<Call, 'fetched' | 'operation'> & { readonly names: readonly string[] },
): Promise<Approval | undefined> {
  const own = names.find((wanted) => ownKeys.includes(wanted))
  if (own !== undefined)
    throw new PmlError(
      'not_granted',
      `Cannot use ${name}: its document asks for ${own}, which ${own === GATEWAY_TOKEN ? 'opens this gateway' : 'goes to the registry alone'}; ask its publisher to use another name`,
    )
  const missing = missingIn(ops.env, names)
  if (missing.length === 0) return undefined
  const description = `${name} needs ${missing.join(', ')} in the environment. Set it where pml runs, then continue.`
  return approvals.ask({ approvalType: 'api_key_required', fqdn: name, missing, description }, operation)
}
