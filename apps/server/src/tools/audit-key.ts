import { auditKeyAnswer } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { showLogKey } from '../audit/log-key.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'audit_key',
  effect: 'read',
  input: z.object({}),
  output: auditKeyAnswer,
  run: ({ registry: { db, audit } }: RegistryContext) => showLogKey(db, audit.signer),
})
