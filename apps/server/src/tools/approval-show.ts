import { shownChange } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { waitForDecision } from '../changes/wait-for-decision.ts'
import type { RegistryContext } from '../registry-tools.ts'
import { changeId } from '../tool-parameters.ts'

export default defineTool({
  name: 'approval_show',
  effect: 'read',
  scope: 'hook|approve',
  timeoutMs: 90_000,
  input: z.object({
    id: changeId,
    wait: z.int().min(0).max(60).default(0).describe('Seconds to wait for a decision'),
  }),
  output: shownChange,
  run: ({ registry, actor, limit: { signal } }: RegistryContext, { id, wait }) =>
    waitForDecision(registry, actor, { id, waitSeconds: wait, signal }),
})
