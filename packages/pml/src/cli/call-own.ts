import type { Writable } from 'node:stream'
import type { JsonObject } from '@pml/tools/run-tool'
import type { Approval } from '../api/approval.ts'
import type { CommandContext, Screen } from '../commands/command.ts'
import { runCommand, type CommandCall } from '../commands/run-command.ts'
import { openPerson } from '../machine/person/person.ts'
import { askPerson, askYes, type Terminal } from './ask-person.ts'

interface Asking extends Terminal {
  /** False with `--json`, and without a terminal. */
  readonly mayAsk: boolean
}

type GivenContext = Omit<CommandContext, 'onProgress' | 'confirm' | 'screen' | 'person'>

/** Runs a command. On a terminal it asks the person each prompt that the command stops at, and continues. */
export async function callOwn(given: GivenContext, call: CommandCall, asking: Asking): Promise<JsonObject> {
  const bar = createProgressBar(asking.mayAsk ? asking.output : undefined)
  const context = contextOf(given, asking, bar)
  // `pml continue` without --run only answers; after other commands a person wants the result.
  const isRun = call.place !== CONTINUE || (call.args as JsonObject)['run'] === true
  let output = await runCommand(context, call).finally(bar.clear)
  for (;;) {
    const [approval, ...rest] = approvalsIn(output)
    // A missing key is not a prompt: the person sets it and runs the command again.
    if (!approval || !asking.mayAsk || approval.approvalType === 'api_key_required') return output
    const doubt = await context.person.findDoubt()
    if (doubt !== undefined) {
      context.ops.tell(`Not asking, because it is not certain that a person would answer: ${doubt}`)
      return output
    }
    const answer = await askPerson(approval, asking, context.signal)
    const args = {
      workflowId: approval.workflowId,
      approve: answer !== 'no',
      reject: answer === 'no',
      always: answer === 'always',
      run: answer !== 'no' && isRun,
    }
    output = await runCommand(context, { place: CONTINUE, args })
    // An answer may lead to another prompt, which is asked before the waiting ones.
    if (rest.length > 0) output = { approvalRequired: true, approvals: [...approvalsIn(output), ...rest] }
  }
}

const CONTINUE = 'pml/continue'

function contextOf(given: GivenContext, asking: Asking, bar: ProgressBar): CommandContext {
  const person = openPerson(given.ops)
  return {
    ...given,
    person,
    screen: asking.mayAsk ? screenOf(asking.output) : undefined,
    onProgress: bar.show,
    confirm: async (text) => {
      if (!asking.mayAsk) return true
      await person.prove({ by: 'terminal' }, { what: 'ask for a yes here' })
      return askYes(text, asking, given.signal)
    },
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

interface ProgressBar {
  show(done: number, total: number): void
  clear(): void
}

const BAR_WIDTH = 30

/** Draws progress on one line of a terminal. */
function createProgressBar(output: Writable | undefined): ProgressBar {
  let isShown = false
  return {
    show: (done, total) => {
      const filled = Math.round((BAR_WIDTH * done) / Math.max(total, 1))
      output?.write(`\r[${'#'.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] ${done}/${total}`)
      isShown = output !== undefined
    },
    clear: () => {
      if (isShown) output?.write(`\r${' '.repeat(BAR_WIDTH + 20)}\r`)
      isShown = false
    },
  }
}
