import type { Writable } from 'node:stream'
import type { JsonObject } from '@pml/tools/run-tool'
import type { Approval } from '../api/approval.ts'
import { askPerson, askYes, type Terminal } from './ask-person.ts'
import { callOwnTool, type OwnCall, type OwnContext, type Screen } from '../commands/own-tools.ts'
import { openPerson } from '../machine/person/person.ts'
import { createProgressBar } from './progress-bar.ts'

export interface Asking extends Terminal {
  /** A person is there, and nothing but JSON was asked for. */
  readonly mayAsk: boolean
}

/** Runs a command; on a terminal the person is asked at once, as often as there is a question. */
export async function callOwn(
  context: Omit<OwnContext, 'onProgress' | 'confirm' | 'screen' | 'person'>,
  call: OwnCall,
  asking: Asking,
): Promise<JsonObject> {
  const bar = createProgressBar(asking.mayAsk ? asking.output : undefined)
  const person = openPerson(context.ops)
  const confirm = async (text: string) => {
    if (!asking.mayAsk) return true
    await person.prove({ by: 'terminal' }, { what: 'ask for a yes here' })
    return askYes(text, asking, context.signal)
  }
  const screen = asking.mayAsk ? screenOf(asking.output) : undefined
  const whole = { ...context, onProgress: bar.show, confirm, screen, person }
  // Whoever runs something is asked on the way; whoever answers for another only answers.
  const isRun = call.name !== 'pml_continue' || (call.args as JsonObject)['run'] === true
  let output = await callOwnTool(whole, call).finally(bar.clear)
  for (;;) {
    const [approval] = approvalsIn(output)
    // A key that is missing is answered by its being there.
    if (!approval || !asking.mayAsk || approval.approvalType === 'api_key_required') return output
    const doubt = await person.findDoubt()
    if (doubt !== undefined) {
      context.ops.tell(`Nobody is asked here, where no person can be known to answer: ${doubt}`)
      return output
    }
    const answer = await askPerson(approval, asking, context.signal)
    const { workflowId } = approval
    const args = {
      workflowId,
      approve: answer !== 'no',
      reject: answer === 'no',
      always: answer === 'always',
      run: answer !== 'no' && isRun,
    }
    const rest = approvalsIn(output).slice(1)
    output = await callOwnTool(whole, { name: 'pml_continue', args, isPlain: false })
    // An answer may be another question, which comes before those that already wait.
    if (rest.length > 0) output = { approvalRequired: true, approvals: [...approvalsIn(output), ...rest] }
  }
}

const USUAL_WIDTH = 80

function screenOf(output: Writable & { readonly columns?: number }): Screen {
  return { width: output.columns || USUAL_WIDTH, write: (text) => void output.write(text) }
}

function approvalsIn(output: JsonObject): Approval[] {
  if (output['approvalRequired'] !== true) return []
  const many = output['approvals']
  return Array.isArray(many) ? (many as Approval[]) : [output as unknown as Approval]
}
