import { PmlError } from '@pml/core'
import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { limitsOf } from '../../calls/call-parts.ts'
import { showFetched } from '../show-fetched.ts'
import { approvable } from '../tool-shapes.ts'
import { answerWorkflow, continueWorkflow } from '../../calls/continue-workflow.ts'

export default defineOwn({
  name: 'pml_continue',
  description: `Answer a question, for whoever was stopped by it.

The answer counts for exactly what was shown. Nothing is run: the agent makes the same call again, which then passes once and gets the result. With --run it is run here instead. Without an answer the whole question is shown.

## Examples

\`\`\`json
{"workflowId": "0b7c1d6e-5a55-4d0e-9a39-6a1f3f5f7c11", "approve": true}
\`\`\`
`,
  cli: { word: 'continue' },
  effect: 'write',
  timeoutMs: 590_000,
  input: z.object({
    workflowId: z.string().min(1).max(100).describe('The id of the question'),
    approve: z.boolean().optional().describe('Yes'),
    reject: z.boolean().optional().describe('No: the same call is refused until the answer expires'),
    always: z
      .boolean()
      .default(false)
      .describe('With --approve of a tool_permission: do not ask about this tool again'),
    run: z.boolean().default(false).describe('With --approve: run what was stopped, here and now'),
  }),
  output: approvable,
  run: async ({ client, signal }, { workflowId, approve = false, reject = false, always, run }) => {
    const opened = await client()
    if (!approve && !reject && !always && !run) return { ...(await opened.approvals.show(workflowId)) }
    if (approve === reject || (run && reject))
      throw new PmlError(
        'invalid_arguments',
        'Cannot continue: give either --approve (with --run to run it here) or --reject',
      )
    const answer = { workflowId, approved: approve, always, given: { by: 'terminal' } } as const
    if (run) return showFetched(await continueWorkflow(opened, answer, limitsOf({ signal })))
    return showFetched(await answerWorkflow(opened, answer))
  },
})
