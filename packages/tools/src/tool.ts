import type { z } from 'zod'

/** The effect of a call: none, something new, or something irreversible. */
type Effect = 'read' | 'write' | 'destructive'

/** A tool on the command line; missing parts derive from its name and description. */
export interface CommandOptions {
  readonly category?: string
  readonly name?: string
  /** A one-word command: `fetch` is `pml fetch`, and has no category. */
  readonly word?: string
  /** The list that takes the words after the required ones: `pml add a b`. */
  readonly rest?: string
  /** The object that `--input` fills; without it, `--input` contains all arguments. It has no flag of its own. */
  readonly input?: string
  readonly about?: string
  readonly hidden?: boolean
}

/** One tool for all surfaces. The host passes `Context` to every call. */
export interface ToolDefinition<
  Context,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  /** `category_action`, as in `memo_create`. */
  readonly name: string
  /** Former names. They still work, with a notice; lists omit them. */
  readonly formerNames?: readonly string[]
  /** Markdown; by default the content of the `.md` file with the tool's name beside it. */
  readonly description?: string
  readonly input: Input
  readonly output: Output
  readonly effect: Effect
  /** The required scope; without it anyone may use the tool. */
  readonly scope?: string
  readonly cli?: CommandOptions
  readonly timeoutMs?: number
  run(context: Context, args: z.output<Input>): Promise<z.input<Output>> | z.input<Output>
}

/** Infers types from the schemas; in a list of tools they are erased, and arguments are checked before `run`. */
export function defineTool<Context, Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Context, Input, Output>,
): ToolDefinition<Context> {
  return definition as ToolDefinition<Context>
}
