import { isComponent, parseName, serverName } from '@pml/core'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { retire } from '../catalog/retire.ts'
import type { RegistryContext } from '../registry-tools.ts'
import { name } from '../tool-parameters.ts'

export default defineTool({
  name: 'catalog_retire',
  formerNames: ['mcp_retire'],
  effect: 'destructive',
  scope: 'publish',
  input: z.object({ name }),
  output: z.object({ name: z.string(), retired: z.literal(true) }),
  run: async ({ registry, actor }: RegistryContext, { name: text }) => {
    const name = isComponent(text) ? serverName(text) : parseName(text)
    await retire(registry, actor, name)
    return { name, retired: true as const }
  },
})
