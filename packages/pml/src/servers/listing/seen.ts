import { parseName, type Integrity, type Name } from '@pml/core'
import type { DepsFile } from '../../workspace/consent.ts'

/**
 * A lockfile may come with a repository, and what it says that a server shows is then anybody's word. What a server on this
 * machine has really shown, and was the locked one, is remembered with the person; only that is listed to agents.
 */
export async function isSeen(
  { deps }: { readonly deps: DepsFile },
  server: string,
  integrity: Integrity,
): Promise<boolean> {
  const known = await deps.find(nameOf(server))
  return known?.kind === 'seen' && known.integrity === integrity
}

export async function markSeen(
  parts: { readonly deps: DepsFile; readonly now: () => Date },
  server: string,
  integrity: Integrity,
): Promise<void> {
  if (await isSeen(parts, server, integrity)) return
  await parts.deps.put(nameOf(server), { kind: 'seen', integrity, approvedAt: parts.now().toISOString() })
}

function nameOf(server: string): Name {
  return parseName(`local.seen.${server}.server`)
}
