import {
  covers,
  decide,
  lockedFqdn,
  PmlError,
  toolNameOf,
  touches,
  type Permissions,
  type ToolPattern,
} from '@pml/core'
import { resolveLocked } from '../../registry/resolve-reference.ts'
import { suggestLocked } from '../../registry/resolve-reference.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Explain why an entry is locked: its content, since when, and which rules apply to it.

## Examples

\`\`\`json
{"name": "memory"}
\`\`\`
`,
  effect: 'read',
  input: ({ z, reference }) => z.object({ name: reference }),
  output: ({ z, fqdn }) => {
    const rules = z.array(z.string())
    return z.looseObject({
      fqdn,
      verdict: z.enum(['deny', 'allow', 'ask']),
      rules: z.object({ deny: rules, allow: rules, ask: rules }),
    })
  },
  run: async ({ client }, { name: text }) => {
    const parts = await client()
    const { name } = await resolveLocked(parts, text)
    const locked = (await parts.lock.read()).entries.get(name)
    if (!locked)
      throw new PmlError(
        'not_found',
        `Cannot explain ${name}: it is not in .pml/mcp.lock; ${await suggestLocked(parts, name)}`,
      )
    const { permissions } = await parts.config.read()
    const tool = toolNameOf(name)
    const dependency = await parts.deps.find(name)
    const { integrity, fetchedAt, type, routing } = locked
    return {
      fqdn: lockedFqdn(locked),
      tool,
      type,
      routing,
      integrity,
      fetchedAt,
      verdict: decide(permissions, tool),
      rules: rulesFor(permissions, (pattern) => touches(pattern, tool) || covers(pattern, tool)),
      ...(dependency && { dependency }),
    }
  },
})

function rulesFor(permissions: Permissions, applies: (pattern: ToolPattern) => boolean) {
  const texts = (patterns: readonly ToolPattern[]) => patterns.filter(applies).map(({ text }) => text)
  return { deny: texts(permissions.deny), allow: texts(permissions.allow), ask: texts(permissions.ask) }
}
