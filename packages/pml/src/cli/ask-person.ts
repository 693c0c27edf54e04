import type { Interface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { showInvisible } from '@pml/core/show-invisible'
import type { Approval } from '../api/approval.ts'
import { printApproval } from '../workspace/prompts/print-approval.ts'

export interface Terminal {
  readonly input: Readable
  readonly output: Writable
  /** Handles Ctrl-C: while a terminal is read line by line, it sends no signal. */
  interrupt(): void
}

type PersonsAnswer = 'yes' | 'always' | 'no'

/** Shows a prompt and waits for the answer. Anything but a clear yes is a no, including the end of the input. */
export async function askPerson(
  approval: Approval,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<PersonsAnswer> {
  const mayAlways = approval.approvalType === 'tool_permission'
  terminal.output.write(printApproval(approval))
  const choices = mayAlways ? '[y]es once, [a]lways, [N]o' : '[y]es, [N]o'
  const word = await askWord(`Approve? ${choices}: `, terminal, signal)
  if (mayAlways && (word === 'a' || word === 'always')) return 'always'
  return word === 'y' || word === 'yes' ? 'yes' : 'no'
}

/** Asks about a change on this machine. */
export async function askYes(text: string, terminal: Terminal, signal: AbortSignal): Promise<boolean> {
  terminal.output.write(`${showInvisible(text)}\n`)
  const word = await askWord('Approve? [y]es, [N]o: ', terminal, signal)
  return word === 'y' || word === 'yes'
}

async function askWord(
  question: string,
  { input, output, interrupt }: Terminal,
  signal: AbortSignal,
): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input, output }).on('SIGINT', interrupt)
  try {
    return (await readLine(lines, question, signal)).trim().toLowerCase()
  } finally {
    lines.close()
  }
}

/** Empty at the end of the input: some versions of Node then reject, others never settle. */
async function readLine(lines: Interface, question: string, signal: AbortSignal): Promise<string> {
  const ended = new Promise<string>((done) => lines.once('close', () => done('')))
  const answer = lines.question(question, { signal }).catch((error: Error) => {
    if (signal.aborted) throw error
    return ''
  })
  return Promise.race([answer, ended])
}
