import { mcpType, routing, toolReference } from '@pml/core/schemas'
import { z } from 'zod'

/** Parameters that several tools share, described once. */
export const reference = z
  .string()
  .min(1)
  .max(400)
  .describe('org.project.namespace.action, with or without the hash')
export const name = z.string().min(1).max(400).describe('org.project.namespace.action, without a hash')
export const keyId = z.string().min(1).max(64).describe('The id of a key, as key_list shows it')

export const filters = {
  type: mcpType.optional().describe('How the entry is delivered'),
  routing: routing.optional().describe('Where the entry runs'),
  tool: toolReference.optional().describe('Only entries that offer this tool, as namespace:action'),
}
