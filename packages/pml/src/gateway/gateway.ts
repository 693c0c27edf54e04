import type { ToolDefinition } from '@pml/core/pins'
import type { ContinueWorkflow } from '../api/pml.ts'
import type { Approval } from '../api/approval.ts'
import type { Progress, ToolResult } from '../mcp/mcp-session.ts'

/** All tools that a workspace permits. Throws only PmlErrors. */
export interface Gateway {
  /** The gateway's own tools, then all others sorted by name. The same list until `onChange`. */
  list(): Promise<readonly ToolDefinition[]>
  call(request: GatewayCall, waiting: Waiting): Promise<ToolResult | Approval>
  /** Handles a person's answer to a prompt of `call`. Returns the result of the call, or the next prompt. */
  answer(answer: DialogAnswer, waiting: Waiting): Promise<ToolResult | Approval>
  /** Why answers in the client's dialog do not count; undefined if they do. */
  findDialogDoubt(): Promise<string | undefined>
  /** A prompt that is still open; undefined for any other. */
  find(workflowId: string): Promise<Approval | undefined>
  /** Calls the listener when the list has changed. Returns a function that stops listening. */
  onChange(listener: () => void): () => void
}

/** An answer, and the client in whose dialog it was given. */
interface DialogAnswer extends ContinueWorkflow {
  readonly dialog: string
}

export interface GatewayCall {
  /** The listed name: `server__tool`. */
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface Waiting {
  readonly signal: AbortSignal
  onProgress?: ((progress: Progress) => void) | undefined
}
