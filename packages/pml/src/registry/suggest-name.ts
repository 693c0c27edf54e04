import { findServer, PmlError, serverName, type Name, type ToolName } from '@pml/core'
import { suggest } from '@pml/core/suggest'
import { toolsIn } from '../workspace/documents.ts'
import type { Parts } from './parts.ts'

/** Does the work; if the registry has no such entry, the error names the nearest one that it or the lockfile has. */
export async function withSuggestion<T>(parts: Parts, name: Name, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PmlError) || error.code !== 'not_found') throw error
    const near = await suggestName(parts, name)
    if (near === undefined) throw error
    throw new PmlError('not_found', `${error.message}; did you mean '${near}'?`, { ...error.detail, near })
  }
}

/** A server by its bare word, anything else by its whole name. */
async function suggestName({ registry, lock }: Parts, name: Name): Promise<string | undefined> {
  // Who asks has an error already; a second one would hide it.
  const offered = await registry.list({}).catch(() => [])
  return nearest(name, [...offered.map((item) => item.name), ...(await lock.read()).entries.keys()])
}

/** The same among what is locked, as a sentence. */
export async function suggestLocked({ lock }: Pick<Parts, 'lock'>, name: Name): Promise<string> {
  const names = [...(await lock.read()).entries.keys()]
  const near = nearest(name, names)
  return near === undefined ? '"pml list" shows what is' : `did you mean '${near}'?`
}

/** The nearest tool of the same server, or the same tool of the server with the nearest name, as a sentence. */
export async function suggestTool(parts: Parts, tool: ToolName): Promise<string> {
  const [word = '', action = ''] = tool.split(':')
  const name = serverName(word)
  const found = await findDocument(parts, name)
  const near = found
    ? suggest(tool, toolsIn(found))
    : await suggestName(parts, name).then((server) => server && `${server}:${action}`)
  if (near !== undefined) return `did you mean '${near}'?`
  return found ? `"pml catalog show ${word}" lists its tools` : '"pml mcp search" looks for others'
}

async function findDocument({ lock, cache, registry }: Parts, name: Name): Promise<Uint8Array | undefined> {
  const locked = (await lock.read()).entries.get(name)
  const cached = locked && (await cache.find(locked.integrity))
  if (cached) return cached
  const release = await registry
    .readCurrentFqdn(name)
    .then((fqdn) => registry.readRelease(fqdn))
    .catch(() => undefined)
  return typeof release === 'object' && 'bytes' in release ? release.bytes : undefined
}

function nearest(name: Name, names: readonly Name[]): string | undefined {
  const word = findServer(name)
  if (word === undefined) return suggest(name, names)
  return suggest(
    word,
    names.flatMap((one) => findServer(one) ?? []),
  )
}
