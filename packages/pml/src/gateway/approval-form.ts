import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'
import type { ContinueWorkflow } from '../api/pml.ts'
import type { Approval } from '../api/approval.ts'
import { printApproval } from '../workspace/prompts/print-approval.ts'

/** The most that a dialog can show. */
const MOST_CHARACTERS = 16_000

const choices = {
  once: 'Yes, this once',
  always: 'Yes, and from now on without asking',
  yes: 'Yes',
  no: 'No',
} as const

type Choice = keyof typeof choices

/**
 * Whether a dialog can ask this. Keys are set in the environment and never typed into a form. A command or a difference must
 * fit completely: otherwise its end could be hidden behind a long beginning.
 */
export function isForForm(approval: Approval): boolean {
  if (approval.approvalType === 'tool_permission') return true
  return approval.approvalType !== 'api_key_required' && printApproval(approval).length <= MOST_CHARACTERS
}

export function formOf(approval: Approval): ElicitRequestFormParams {
  const words: Choice[] =
    approval.approvalType === 'tool_permission' ? ['once', 'always', 'no'] : ['yes', 'no']
  return {
    message: cut(printApproval(approval)),
    requestedSchema: {
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          title: 'Approve?',
          oneOf: words.map((word) => ({ const: word, title: choices[word] })),
        },
      },
      required: ['answer'],
    },
  }
}

/**
 * The answer in a dialog; undefined if no option was chosen, and then the prompt stays open. Some clients decline on their own
 * without showing the dialog.
 */
export function answerIn(
  { workflowId }: Pick<Approval, 'workflowId'>,
  given: { readonly action: string; readonly content?: Readonly<Record<string, unknown>> | undefined },
): ContinueWorkflow | undefined {
  const word = given.action === 'accept' ? given.content?.['answer'] : undefined
  if (typeof word !== 'string' || !Object.hasOwn(choices, word)) return undefined
  return { workflowId, approved: word !== 'no', ...(word === 'always' && { always: true }) }
}

function cut(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  return `${text.slice(0, MOST_CHARACTERS)}\n… and ${text.length - MOST_CHARACTERS} more characters`
}
