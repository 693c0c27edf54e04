import { PmlError } from '@pml/core'
import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { limitsOf } from '../call-limits.ts'
import { showFetched } from '../show-fetched.ts'
import { approvable } from '../tool-shapes.ts'
import { continueWorkflow } from '../verbs/continue-workflow.ts'

export default defineOwn({
  name: 'pml_continue',
  description: `Answer an approval, and take up what it stopped.

The answer counts for exactly what was shown, once, until it expires.`,
  cli: { word: 'continue' },
  effect: 'write',
  timeoutMs: 590_000,
  input: z.object({
    workflowId: z.string().min(1).max(100).describe('From the approval'),
    approve: z.boolean().optional().describe('Go on'),
    reject: z.boolean().optional().describe('Leave everything as it was'),
    always: z
      .boolean()
      .default(false)
      .describe('With --approve of a tool_permission: do not ask about this tool again'),
  }),
  output: approvable,
  run: async ({ client, signal }, { workflowId, approve, reject, always }) => {
    if ((approve === true) === (reject === true))
      throw new PmlError('invalid_arguments', 'Cannot continue: give either --approve or --reject')
    const answer = { workflowId, approved: approve === true, always }
    return showFetched(await continueWorkflow(await client(), answer, limitsOf({ signal })))
  },
})
