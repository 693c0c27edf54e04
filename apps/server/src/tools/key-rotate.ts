import { keyCreated } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { rotateKey } from '../keys/rotate-key.ts'
import type { RegistryContext } from '../registry-tools.ts'
import { keyId } from '../tool-parameters.ts'

export default defineTool({
  name: 'key_rotate',
  effect: 'destructive',
  scope: 'admin',
  input: z.object({ id: keyId }),
  output: keyCreated,
  run: ({ registry: { db }, actor }: RegistryContext, { id }) => rotateKey(db, actor, id),
})
