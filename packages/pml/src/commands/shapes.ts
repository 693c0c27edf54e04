import { z } from 'zod'

export { z }

export const reference = z
  .string()
  .min(1)
  .max(400)
  .describe('org.project.namespace.action, the same with a hash, namespace:action, or the word of a server')

/** The output itself, or a prompt for a person: `approvalRequired` says which. */
export const approvable = z.looseObject({
  approvalRequired: z.boolean().describe('True: a person must answer first, by "pml continue"'),
})

export const fqdn = z.string().describe('Name and hash')
