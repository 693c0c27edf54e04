import type { Layout } from '@pml/tools/cli'
import type { JsonObject, ToolDefinition } from '@pml/tools/run-tool'
import type { z } from 'zod'
import type { Client } from '../calls/open-client.ts'
import type { Ops } from '../machine/ops.ts'
import type { Person } from '../machine/person/person.ts'
import type { ServersMode } from '../servers/supervise/servers-mode.ts'
import type { Workspace } from '../workspace/open-workspace.ts'
import type * as shapes from './shapes.ts'

/** The input of every command. */
export interface CommandContext {
  readonly ops: Ops
  readonly signal: AbortSignal
  /** The folder given by `--workspace`. */
  readonly workspace: string | undefined
  /** Opens the client on the first call; the caller of the command closes it. */
  client(options?: { readonly mode?: ServersMode }): Promise<Client>
  /** Opens only the parts that read the lockfile. */
  lockfile(): Promise<Workspace>
  onProgress(done: number, total: number): void
  /** The terminal; undefined if there is none, or with `--json`. */
  readonly screen: Screen | undefined
  readonly person: Person
  /** Shows a text and asks for a yes; true immediately if nobody can be asked. */
  confirm(text: string): Promise<boolean>
}

export interface Screen {
  readonly width: number
  write(text: string): void
}

type Shapes = typeof shapes
type Tool = ToolDefinition<CommandContext>

/**
 * A command that runs on this machine: `commands/lock/show.ts` is `pml lock show`, and `commands/pml/add.ts` is `pml add`.
 * Its schemas are functions, so that zod is loaded only to check arguments.
 */
export interface Command<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> extends Pick<Tool, 'effect'> {
  /** The name in messages and in the command files: `lock_show` if left out. */
  readonly name?: string
  /** Markdown. Lists of commands show the first line; JSON blocks under `## Examples` are arguments. */
  readonly description: string
  readonly cli?: Pick<NonNullable<Tool['cli']>, 'rest' | 'input'>
  /** Omitted if there are no arguments. */
  input?(shapes: Shapes): Input
  output(shapes: Shapes): Output
  run(context: CommandContext, args: z.output<Input>): Promise<z.input<Output>> | z.input<Output>
  /** Prints the output for a person; undefined prints a table, as for commands without `print`. */
  print?(output: z.output<Output>, layout: Layout): string | undefined
}

/** A command that the registry runs (`apps/server/src/tools`); its output is printed here. */
export interface RegistryCommand<Output = JsonObject> {
  print(output: Output, layout: Layout): string
}

export function defineCommand<Input extends z.ZodObject, Output extends z.ZodObject>(
  command: Command<Input, Output>,
): Command {
  return command as unknown as Command
}

export function definePrint<Output>(
  print: (output: Output, layout: Layout) => string,
): RegistryCommand<Output> {
  return { print }
}

/** The command as a tool: only tools are checked and listed. */
export function toolOf(place: string, command: Command, made: Shapes): Tool {
  const { description, effect, cli, input, output } = command
  const [noun = '', verb = ''] = place.split('/')
  return {
    name: command.name ?? `${noun}_${verb.replaceAll('-', '_')}`,
    description,
    effect,
    cli: { ...cli, ...(noun === 'pml' ? { word: verb } : { category: noun, name: verb }) },
    input: input?.(made) ?? made.z.object({}),
    output: output(made),
    run: (context, args) => command.run(context, args),
  }
}
