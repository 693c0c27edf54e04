import type { z } from 'zod'

/** The effect of a call: none, something new, or something irreversible. */
type Effect = 'read' | 'write' | 'destructive'

/** How a tool looks on the command line; what is left out follows from its name and description. */
export interface CommandOptions {
  readonly category?: string
  readonly name?: string
  /** A command of one word instead: `fetch` is `pml fetch`, and has no category. */
  readonly word?: string
  /** The list that takes the words left over after what is required: `pml add a b`. */
  readonly rest?: string
  /** The object that `--input` fills; without it, `--input` is all arguments. It has no flag of its own. */
  readonly input?: string
  readonly about?: string
  readonly hidden?: boolean
}

/** One tool, written once. `Context` is what the host gives to every call. */
export interface ToolDefinition<
  Context,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  /** `category_action`, as in `memo_create`. */
  readonly name: string
  /** Names that it had before. They still answer, with a notice; nothing lists them. */
  readonly formerNames?: readonly string[]
  /** Markdown. Left out, it is the text of the file of the same name beside the tool's own, ending in `.md`. */
  readonly description?: string
  readonly input: Input
  readonly output: Output
  readonly effect: Effect
  /** What the caller must be allowed; anyone may use a tool without it. */
  readonly scope?: string
  readonly cli?: CommandOptions
  readonly timeoutMs?: number
  run(context: Context, args: z.output<Input>): Promise<z.input<Output>> | z.input<Output>
}

/** Types follow from the schemas; inside a list of tools they are forgotten, and arguments are checked before `run`. */
export function defineTool<Context, Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Context, Input, Output>,
): ToolDefinition<Context> {
  return definition as ToolDefinition<Context>
}
