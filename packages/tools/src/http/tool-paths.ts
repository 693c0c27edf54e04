import { examplesIn } from '../description.ts'
import type { ListedTool } from '../ready-tool.ts'

/** The authentication and errors of the OpenAPI document around the paths. */
interface PathsAround {
  readonly tag: string
  readonly security: (scope: string | undefined) => readonly object[]
  readonly failures: object
}

/** Returns the OpenAPI 3.1 paths of the tools, one per tool. */
export function toolPaths(tools: readonly ListedTool[], around: PathsAround): Record<string, object> {
  return Object.fromEntries(
    tools.map((tool) => [`/tools/${tool.name}`, { post: operationOf(tool, around) }] as const),
  )
}

function operationOf(tool: ListedTool, { tag, security, failures }: PathsAround) {
  const { name, description, scope, inputSchema, outputSchema } = tool
  const [example = '{}'] = examplesIn(description)
  const content = { 'application/json': { schema: inputSchema, example: JSON.parse(example) as unknown } }
  return {
    operationId: name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [tag],
    summary: name,
    description: description.split(/^## Examples?$/m)[0]?.trim(),
    security: security(scope),
    requestBody: { required: true, content },
    responses: {
      200: { description: 'The result', content: { 'application/json': { schema: outputSchema } } },
      ...failures,
    },
  }
}
