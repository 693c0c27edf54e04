import { decide, PmlError, toolNameOf, type Name, type ToolName, type Verdict } from '@pml/core'
import type { Parts } from './parts.ts'

/** What is denied is neither fetched nor run, whenever the rule was written. */
export async function requireNotDenied(
  { config }: Pick<Parts, 'config'>,
  name: Name,
  tool: ToolName = toolNameOf(name),
): Promise<void> {
  await decideUse({ config }, tool)
}

/** Throws for what is denied. */
export async function decideUse(
  { config }: Pick<Parts, 'config'>,
  tool: ToolName,
): Promise<Exclude<Verdict, 'deny'>> {
  const { permissions } = await config.read()
  const verdict = decide(permissions, tool)
  if (verdict !== 'deny') return verdict
  throw new PmlError(
    'tool_denied',
    `Cannot use ${tool}: a deny rule in .pml.json speaks of it; remove the rule to allow it`,
    { tool },
  )
}
