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
import type { CallParts } from '../../calls/call-parts.ts'
import { suggestLocked, resolveLocked } from '../../registry/resolve-reference.ts'

/** Why an entry is in the lockfile, and what the rules say about it. */
export async function explainEntry(parts: CallParts, text: string) {
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
}

function rulesFor(permissions: Permissions, speaks: (pattern: ToolPattern) => boolean) {
  const texts = (patterns: readonly ToolPattern[]) => patterns.filter(speaks).map(({ text }) => text)
  return { deny: texts(permissions.deny), allow: texts(permissions.allow), ask: texts(permissions.ask) }
}
