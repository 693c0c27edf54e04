import { type CommandPath, commandPathOf } from './command-path.ts'
import { aboutOf, examplesIn } from './description.ts'
import { jsonSchemaOf, type JsonObject, type JsonSchema } from './json-schema.ts'
import type { CommandOptions, ToolDefinition } from './tool.ts'

/** Hints for agents, derived from the effect (MCP, server/tools). */
interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
}

/** A tool's description for every surface, built once. */
export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  readonly annotations: ToolAnnotations
  readonly scope?: string
}

/** A tool on the command line. Plain data, so it can be stored in a file. */
export interface Command extends CommandPath, Pick<CommandOptions, 'rest' | 'input'> {
  readonly name: string
  readonly about: string
  readonly description: string
  readonly examples: readonly JsonObject[]
  readonly inputSchema: JsonSchema
  readonly effect: ToolDefinition<never>['effect']
  /** The words of its former names. */
  readonly formerPaths?: readonly CommandPath[]
}

/** A valid tool with everything derived from its definition. */
export interface Tool<Context> extends Pick<ToolDefinition<Context>, 'name' | 'effect' | 'scope' | 'run'> {
  readonly listed: ListedTool
  /** Undefined if the tool is hidden from the command line. */
  readonly command: Command | undefined
  readonly timeoutMs: number
  readonly input: ToolDefinition<Context>['input']
  readonly output: ToolDefinition<Context>['output']
}

const DEFAULT_TIMEOUT_MS = 30_000

/** Only for definitions without problems in `validateTool`. */
export function readyTool<Context>(definition: ToolDefinition<Context>): Tool<Context> {
  const { name, effect, scope, output, description = '', timeoutMs = DEFAULT_TIMEOUT_MS } = definition
  const input = definition.input.strict()
  const inputSchema = jsonSchemaOf(input, 'input')
  const listed: ListedTool = {
    name,
    description: description.trim(),
    inputSchema,
    outputSchema: jsonSchemaOf(output, 'output'),
    annotations: annotationsOf(effect),
    ...(scope === undefined ? {} : { scope }),
  }
  const command = commandOf(definition, inputSchema)
  const run = (context: Context, args: Record<string, unknown>) => definition.run(context, args)
  return { name, effect, scope, input, output, timeoutMs, listed, command, run }
}

function annotationsOf(effect: ToolDefinition<never>['effect']): ToolAnnotations {
  return effect === 'read'
    ? { readOnlyHint: true }
    : { readOnlyHint: false, destructiveHint: effect === 'destructive' }
}

function commandOf<Context>(
  { name, formerNames = [], description = '', effect, cli }: ToolDefinition<Context>,
  inputSchema: JsonSchema,
): Command | undefined {
  if (cli?.hidden) return undefined
  const path = commandPathOf(name, cli)
  const about = cli?.about ?? aboutOf(description) ?? ''
  const examples = examplesIn(description).map((example) => JSON.parse(example) as JsonObject)
  return {
    name,
    ...path,
    about,
    description: description.trim(),
    examples,
    inputSchema,
    effect,
    rest: cli?.rest,
    input: cli?.input,
    ...(formerNames.length > 0 && { formerPaths: formerNames.map((former) => commandPathOf(former)) }),
  }
}
