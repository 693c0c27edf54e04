import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { revokeKey } from '../keys/revoke-key.ts'
import type { RegistryContext } from '../registry-tools.ts'
import { keyId } from '../tool-parameters.ts'

export default defineTool({
  name: 'key_revoke',
  effect: 'destructive',
  scope: 'admin',
  input: z.object({ id: keyId }),
  output: z.object({ id: z.string(), revoked: z.literal(true) }),
  run: async ({ registry: { db }, actor }: RegistryContext, { id }) => {
    await revokeKey(db, actor, id)
    return { id, revoked: true as const }
  },
})
