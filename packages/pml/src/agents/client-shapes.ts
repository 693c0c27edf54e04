import { z } from 'zod'
import { hookScope } from './hook-shapes.ts'
import { clientNames } from './client-settings.ts'

/** The options of installing and uninstalling. */
export const clientOptions = z.object({
  client: z.enum(clientNames).describe('The MCP client'),
  scope: hookScope,
  dryRun: z.boolean().default(false).describe('Show the change and do not write it'),
  yes: z.boolean().default(false).describe('Do not ask'),
})
