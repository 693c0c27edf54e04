import { PmlError } from '@pml/core'
import { printable } from '@pml/tools/cli'
import { limitsOf } from '../../calls/call-parts.ts'
import { answerWorkflow, continueWorkflow } from '../../calls/continue-workflow.ts'
import { defineCommand } from '../command.ts'
import { printResult } from '../print-result.ts'
import { showFetched } from '../show-fetched.ts'

export default defineCommand({
  description: `Answer a prompt of a call that was stopped.

The answer counts for exactly what was shown. Nothing is run: the agent makes the same call again, which then passes once and gets the result. With --run the call is run here instead. Without an answer, the command shows the whole prompt.

## Examples

\`\`\`json
{"workflowId": "0b7c1d6e-5a55-4d0e-9a39-6a1f3f5f7c11", "approve": true}
\`\`\`
`,
  effect: 'write',
  input: ({ z }) =>
    z.object({
      workflowId: z.string().min(1).max(100).describe('The id of the prompt'),
      approve: z.boolean().optional().describe('Yes'),
      reject: z.boolean().optional().describe('No: the same call is refused until the answer expires'),
      always: z
        .boolean()
        .default(false)
        .describe('With --approve of a tool_permission: do not ask about this tool again'),
      run: z.boolean().default(false).describe('With --approve: run what was stopped, here and now'),
    }),
  output: ({ approvable }) => approvable,
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
  print: (output) =>
    typeof output['next'] === 'string' ? `${printable(output['next'])}\n` : printResult(output),
})
