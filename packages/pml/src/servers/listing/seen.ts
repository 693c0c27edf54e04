import { parseName, type Integrity, type Name } from '@pml/core'
import type { DepsFile } from '../../workspace/consent.ts'

/**
 * A lockfile in a repository may list tools that the server never showed. So listings that a server has really shown on this
 * machine are recorded in the person's state folder, and agents see only those.
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
