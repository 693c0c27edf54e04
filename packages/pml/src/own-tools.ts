import { runTool, type JsonObject, type ToolDefinition } from '@pml/tools/run-tool'
import type { Client } from './client.ts'
import type { Ops } from './ops.ts'

/** What every command that works on this machine gets. */
export interface OwnContext {
  readonly ops: Ops
  readonly signal: AbortSignal
  /** The workspace that was asked for, if any. */
  readonly workspace: string | undefined
  /** Opened when it is first asked for; whoever made the context closes it. */
  client(): Promise<Client>
  onProgress(done: number, total: number): void
}

export interface OwnCall {
  readonly name: string
  readonly args: unknown
}

/** Calls one command of this program. Only its own file is loaded, named after the tool. */
export async function callOwnTool(context: OwnContext, { name, args }: OwnCall): Promise<JsonObject> {
  const module = (await import(`./tools/${name.replaceAll('_', '-')}.ts`)) as {
    default: ToolDefinition<OwnContext>
  }
  return runTool(module.default, context, args)
}
