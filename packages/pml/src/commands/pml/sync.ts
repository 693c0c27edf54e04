import {
  decide,
  findServer,
  isLocal,
  lockedFqdn,
  PmlError,
  serverName,
  toolNameOf,
  touches,
  withEntry,
  type LockedEntry,
  type Name,
  type ToolPattern,
} from '@pml/core'
import { inParallel } from '../../machine/in-parallel.ts'
import { findRelease } from '../../registry/find-release.ts'
import type { Parts } from '../../registry/parts.ts'
import { requireNotDenied } from '../../workspace/workspace-config-file.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: 'Fetch everything that is locked, exactly as it is locked, and what an allow rule names.',
  effect: 'write',
  output: ({ z, fqdn }) => z.object({ fetched: z.int(), cached: z.int(), added: z.array(fqdn) }),
  run: async ({ client, onProgress }) => syncEntries(await client(), onProgress),
})

/**
 * Caches everything locked, and locks what allow rules name. Ignores newer releases, which `pml outdated` lists, and local
 * servers, which have their own files.
 */
export async function syncEntries(parts: Parts, onProgress: (done: number, total: number) => void) {
  const { entries } = await parts.lock.read()
  const wanted = (await allowedNames(parts)).filter((name) => !entries.has(name))
  if (parts.isFrozen && wanted.length > 0) throw notLocked(wanted)
  const locked = [...entries.values()].filter(({ name }) => !isLocal(name))
  let [done, cached] = [0, 0]
  const total = locked.length + wanted.length
  const step = () => onProgress(++done, total)
  await inParallel(locked, async (entry) => {
    if (await restore(parts, entry)) cached++
    step()
  })
  const added = await inParallel(wanted, async (name) => {
    const entry = await fetchNew(parts, name)
    step()
    return entry
  })
  if (added.length > 0) await parts.lock.update((lockfile) => added.reduce(withEntryIfNew, lockfile))
  return { fetched: locked.length - cached, cached, added: added.map(lockedFqdn) }
}

/** Returns true if it was cached already. A denied entry is not fetched but stays locked. */
async function restore({ cache, registry, config, isOffline }: Parts, { name, integrity }: LockedEntry) {
  await requireNotDenied({ config }, name)
  if (await cache.find(integrity)) return true
  if (isOffline)
    throw new PmlError('unavailable', `Cannot fetch ${name} offline: it is not cached; leave out --offline`)
  await cache.put(integrity, await registry.readBlob(integrity))
  return false
}

async function fetchNew(parts: Parts, name: Name): Promise<LockedEntry> {
  const { hash, integrity, type, routing, bytes } = await findRelease(parts, {
    wanted: { name, hash: undefined },
    locked: undefined,
    approved: undefined,
  })
  await parts.cache.put(integrity, bytes)
  return { name, hash, integrity, type, routing, fetchedAt: parts.now().toISOString() }
}

function withEntryIfNew(lockfile: Parameters<typeof withEntry>[0], entry: LockedEntry) {
  return lockfile.entries.has(entry.name) ? lockfile : withEntry(lockfile, entry)
}

/** The rule `*` names no entry and does not mean the whole registry. */
async function allowedNames(parts: Parts): Promise<Name[]> {
  const { permissions } = await parts.config.read()
  const patterns = permissions.allow.filter(({ namespace }) => namespace !== undefined)
  if (parts.isOffline || patterns.length === 0) return []
  const lists = await inParallel(patterns, (pattern) => namesFor(parts, pattern))
  const names = [...new Set(lists.flat())].sort()
  return names.filter((name) => decide(permissions, toolNameOf(name)) !== 'deny')
}

/** A namespace means the server of that name if there is one, else every entry in it. */
async function namesFor({ registry, lock }: Parts, pattern: ToolPattern): Promise<Name[]> {
  const { entries } = await lock.read()
  if ([...entries.keys()].some((name) => touches(pattern, toolNameOf(name)))) return []
  const { namespace = '', stem, open } = pattern
  const items = open
    ? await registry.list({ q: `.${namespace}.` })
    : await registry.list({ tool: `${namespace}:${stem}` })
  const fitting = items.map(({ name }) => name).filter((name) => touches(pattern, toolNameOf(name)))
  const servers = fitting.filter((name) => findServer(name) === namespace)
  return servers.length > 0 ? [serverName(namespace)] : fitting
}

function notLocked(names: readonly Name[]): PmlError {
  return new PmlError(
    'lock_frozen',
    `Cannot sync: ${names.slice(0, 5).join(', ')} ${names.length > 5 ? `and ${names.length - 5} more ` : ''}are allowed but not in .pml/mcp.lock, which is frozen; run "pml sync" without --frozen and commit the lockfile`,
  )
}
