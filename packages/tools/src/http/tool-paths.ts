import type { ListedTool } from '../ready-tool.ts'

/** How a caller proves who it is, and which errors there are, in terms of the OpenAPI document around the paths. */
interface PathsAround {
  readonly security: (scope: string | undefined) => readonly object[]
  readonly failures: object
}

/** OpenAPI 3.1 paths of the tools: a list, and one path for each. */
export function toolPaths(tools: readonly ListedTool[], { security, failures }: PathsAround) {
  const calls = tools.map((tool) => [
    `/tools/${tool.name}`,
    { post: operationOf(tool, { security, failures }) },
  ])
  return {
    '/tools': { get: listOperation(failures) },
    ...(Object.fromEntries(calls) as Record<string, object>),
  }
}

function operationOf(tool: ListedTool, { security, failures }: PathsAround): object {
  const { name, description, scope, inputSchema, outputSchema } = tool
  const [summary = name, ...rest] = description.split('\n')
  return {
    operationId: name,
    tags: ['tools'],
    summary,
    description: rest.join('\n').trim(),
    security: security(scope),
    requestBody: { required: true, content: { 'application/json': { schema: inputSchema } } },
    responses: {
      200: { description: 'The result', content: { 'application/json': { schema: outputSchema } } },
      ...failures,
    },
  }
}

const text = { type: 'string' }
const listed = {
  type: 'object',
  properties: {
    name: text,
    description: text,
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
    annotations: { type: 'object' },
    scope: text,
  },
  required: ['name', 'description', 'inputSchema', 'outputSchema', 'annotations'],
}

const listOperation = (failures: object) => ({
  tags: ['tools'],
  summary: 'The tools that the caller may use, sorted by name',
  security: [{}, { key: [] }],
  responses: {
    200: {
      description: 'The tools with their schemas',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { tools: { type: 'array', items: listed } },
            required: ['tools'],
          },
        },
      },
    },
    ...failures,
  },
})
