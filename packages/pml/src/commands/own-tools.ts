import type { JsonObject, ToolDefinition } from '@pml/tools/run-tool'
import type { Client } from '../calls/open-client.ts'
import type { Ops } from '../machine/ops.ts'
import type { Person } from '../machine/person/person.ts'
import type { ServersMode } from '../servers/supervise/servers-mode.ts'
import type { Workspace } from '../workspace/open-workspace.ts'

/** What every command that works on this machine gets. */
export interface OwnContext {
  readonly ops: Ops
  readonly signal: AbortSignal
  /** The workspace given on the command line, if any. */
  readonly workspace: string | undefined
  /** Opened when it is first asked for; whoever made the context closes it. */
  client(options?: { readonly mode?: ServersMode }): Promise<Client>
  /** Only what a look at the lockfile needs. */
  lockfile(): Promise<Workspace>
  onProgress(done: number, total: number): void
  /** The terminal that a person looks at; undefined where nobody does, or JSON was asked for. */
  readonly screen: Screen | undefined
  readonly person: Person
  /** Shows a text and waits for a person's yes; true at once if there is no person to ask. */
  confirm(text: string): Promise<boolean>
}

export interface Screen {
  readonly width: number
  write(text: string): void
}

export interface OwnCall {
  readonly name: string
  readonly args: unknown
  /** It takes no arguments, so there is nothing to check, and what checks need not be loaded. */
  readonly isPlain: boolean
}

/** Calls one command of this program. Only its own file is loaded, named after the tool. */
export async function callOwnTool(
  context: OwnContext,
  { name, args, isPlain }: OwnCall,
): Promise<JsonObject> {
  const file = name.replaceAll('_', '-')
  if (isPlain) {
    const { run } = (await import(`./plain/run-${file}.ts`)) as {
      run(context: OwnContext): Promise<JsonObject>
    }
    return run(context)
  }
  const [{ runTool }, module] = await Promise.all([
    import('@pml/tools/run-tool'),
    import(`./tools/${file}.ts`) as Promise<{ default: ToolDefinition<OwnContext> }>,
  ])
  return runTool(module.default, context, args)
}
