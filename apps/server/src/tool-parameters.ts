import { LONGEST_REPORT_DAYS, mcpType, routing, toolReference, USUAL_REPORT_DAYS } from '@pml/core/schemas'
import { z } from 'zod'

/** Parameters that several tools share. */
export const reference = z
  .string()
  .min(1)
  .max(400)
  .describe('org.project.namespace.action, with or without the hash, or the word of a server')
export const name = z.string().min(1).max(400).describe('org.project.namespace.action, without a hash')
export const keyId = z.string().min(1).max(64).describe('The id of a key, as key_list shows it')
export const days = z
  .int()
  .min(1)
  .max(LONGEST_REPORT_DAYS)
  .default(USUAL_REPORT_DAYS)
  .describe('How many days to look back')

export const filters = {
  type: mcpType.optional().describe('How the entry is delivered'),
  routing: routing.optional().describe('Where the entry runs'),
  tool: toolReference.optional().describe('Only entries that offer this tool, as namespace:action'),
}
export const changeId = z.string().min(1).max(64).describe('The id of a change, as approval_list shows it')
