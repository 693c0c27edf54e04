import { checkOutput, parseArguments } from './check-values.ts'
import type { JsonObject } from './json-schema.ts'
import { defineTool, type ToolDefinition } from './tool.ts'

export { defineTool, type JsonObject, type ToolDefinition }

/** Calls one tool without a registry of tools; arguments and output are validated as usual. */
export async function runTool<Context>(
  { name, input, output, run }: ToolDefinition<Context>,
  context: Context,
  args: unknown,
): Promise<JsonObject> {
  const parsed = parseArguments({ name, input: input.strict() }, args)
  return checkOutput({ name, output }, await run(context, parsed))
}
