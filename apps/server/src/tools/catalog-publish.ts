import { parseName } from '@pml/core'
import { description, published, routing, visibility } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { publish } from '../catalog/publish.ts'
import { parsePublication } from '../catalog/parse-publication.ts'
import type { RegistryContext } from '../registry-tools.ts'
import { name } from '../tool-parameters.ts'

export default defineTool({
  name: 'catalog_publish',
  formerNames: ['mcp_publish'],
  cli: { hidden: true },
  effect: 'write',
  scope: 'publish',
  timeoutMs: 60_000,
  input: z.object({
    name,
    content: z.string().min(1).describe('The TypeScript module, or the document as JSON text'),
    kind: z.enum(['module', 'document']).default('module').describe('What the content is'),
    description: description.optional().describe('Replaces the description in the content'),
    routing: routing.optional().describe('Where it runs; by default, the rules of the registry decide'),
    visibility: visibility
      .optional()
      .describe('Who may see it; by default unchanged, or public for a new name'),
  }),
  output: published,
  run: ({ registry, actor, limit }: RegistryContext, { name: text, kind, content, ...attributes }) => {
    const name = parseName(text)
    const bytes = Buffer.from(content)
    return publish(registry, actor, {
      name,
      signal: limit.signal,
      read: async () => parsePublication({ name, bytes, isDocument: kind === 'document' }, attributes),
    })
  },
})
