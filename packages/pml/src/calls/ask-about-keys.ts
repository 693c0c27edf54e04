import { PmlError } from '@pml/core'
import type { Approval } from '../api/approval.ts'
import type { Call, CallParts } from './call-parts.ts'
import { GATEWAY_TOKEN, missingIn, ownKeys } from '../machine/environment.ts'

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
  const [it, is] = missing.length === 1 ? ['it', 'is'] : ['them', 'are']
  const description = `${name} needs ${missing.join(', ')}, which ${is} not set. Set ${it} in the environment that pml is started from; for a gateway under "env" of pml in the settings of its client, then start it again. The same call passes as soon as ${is === 'is' ? 'it is' : 'they are'} there.`
  return approvals.ask({ approvalType: 'api_key_required', fqdn: name, missing, description }, operation)
}
