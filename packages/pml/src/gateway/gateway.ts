import type { ToolDefinition } from '@pml/core/pins'
import type { ContinueWorkflow } from '../api/pml.ts'
import type { Approval } from '../api/approval.ts'
import type { Progress, ToolResult } from '../mcp/mcp-session.ts'

/** All tools that a workspace permits, behind one door. It throws nothing but PmlErrors. */
export interface Gateway {
  /** Its own tools, then all others in the order of names. The same bytes until `onChange`. */
  list(): Promise<readonly ToolDefinition[]>
  call(request: GatewayCall, waiting: Waiting): Promise<ToolResult | Approval>
  /** A person's answer to what `call` asked; gives what the call gives, or the next question. */
  answer(answer: DialogAnswer, waiting: Waiting): Promise<ToolResult | Approval>
  /** Why no answer of a client's dialog would count; undefined where it does. */
  findDialogDoubt(): Promise<string | undefined>
  /** A question that is still open; undefined for any other. */
  find(workflowId: string): Promise<Approval | undefined>
  /** Calls the listener when the list may be another; gives the way to stop listening. */
  onChange(listener: () => void): () => void
}

/** An answer, and the client whose dialog it was given in. */
interface DialogAnswer extends ContinueWorkflow {
  readonly dialog: string
}

export interface GatewayCall {
  /** As it is listed: `server__tool`. */
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface Waiting {
  readonly signal: AbortSignal
  onProgress?: ((progress: Progress) => void) | undefined
}
