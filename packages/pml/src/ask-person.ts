import type { Readable, Writable } from 'node:stream'
import type { Approval } from './approvals/approval.ts'
import { printApproval } from './print-approval.ts'

export interface Terminal {
  readonly input: Readable
  readonly output: Writable
}

export type PersonsAnswer = 'yes' | 'always' | 'no'

/** Shows the question and waits for a word. Anything but a clear yes is a no. */
export async function askPerson(
  approval: Approval,
  { input, output }: Terminal,
  signal: AbortSignal,
): Promise<PersonsAnswer> {
  const mayAlways = approval.approvalType === 'tool_permission'
  output.write(printApproval(approval))
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input, output })
  try {
    const choices = mayAlways ? '[y]es once, [a]lways, [N]o' : '[y]es, [N]o'
    const word = (await lines.question(`Approve? ${choices}: `, { signal })).trim().toLowerCase()
    if (mayAlways && (word === 'a' || word === 'always')) return 'always'
    return word === 'y' || word === 'yes' ? 'yes' : 'no'
  } finally {
    lines.close()
  }
}
