import type { JsonObject } from '@pml/tools/run-tool'
import type { Approval } from './approvals/approval.ts'
import { askPerson, askYes, type Terminal } from './ask-person.ts'
import { callOwnTool, type OwnCall, type OwnContext } from './own-tools.ts'
import { createProgressBar } from './progress-bar.ts'

export interface Asking extends Terminal {
  /** A person is there, and nothing but JSON was asked for. */
  readonly mayAsk: boolean
}

/** Runs a command; on a terminal the person is asked at once, as often as there is a question. */
export async function callOwn(
  context: Omit<OwnContext, 'onProgress' | 'confirm'>,
  call: OwnCall,
  asking: Asking,
): Promise<JsonObject> {
  const bar = createProgressBar(asking.mayAsk ? asking.output : undefined)
  const confirm = async (text: string) => !asking.mayAsk || askYes(text, asking, context.signal)
  const whole = { ...context, onProgress: bar.show, confirm }
  let output = await callOwnTool(whole, call).finally(bar.clear)
  for (;;) {
    const [approval] = approvalsIn(output)
    if (!approval || !asking.mayAsk) return output
    const answer = await askPerson(approval, asking, context.signal)
    const { workflowId } = approval
    const args = {
      workflowId,
      approve: answer !== 'no',
      reject: answer === 'no',
      always: answer === 'always',
    }
    const rest = approvalsIn(output).slice(1)
    output = await callOwnTool(whole, { name: 'pml_continue', args, isPlain: false })
    // An answer may be another question, which comes before those that already wait.
    if (rest.length > 0) output = { approvalRequired: true, approvals: [...approvalsIn(output), ...rest] }
  }
}

function approvalsIn(output: JsonObject): Approval[] {
  if (output['approvalRequired'] !== true) return []
  const many = output['approvals']
  return Array.isArray(many) ? (many as Approval[]) : [output as unknown as Approval]
}
