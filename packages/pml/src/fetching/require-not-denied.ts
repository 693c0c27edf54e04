import { decide, PmlError, toolNameOf, type Name, type ToolName } from '@pml/core'
import type { Parts } from './parts.ts'

/** What is denied is neither fetched nor run, whenever the rule was written. */
export async function requireNotDenied(
  { config }: Pick<Parts, 'config'>,
  name: Name,
  tool: ToolName = toolNameOf(name),
): Promise<void> {
  const { permissions } = await config.read()
  if (decide(permissions, tool) !== 'deny') return
  throw new PmlError(
    'tool_denied',
    `Cannot use ${tool}: a deny rule in .pml.json speaks of it; remove the rule to allow it`,
    { tool },
  )
}
