import { findIntegrity, IntegrityError, integrityOf, PmlError, type Name } from '@pml/core'
import { toolsBytes, type ToolDefinition } from '@pml/core/pins'
import type { StdioDocument } from '../../workspace/documents.ts'
import type { Parts } from '../../registry/parts.ts'

type Document = Pick<StdioDocument, 'toolsDigest'>

/** The tools of a server of the registry as they were pinned, where they were seen once; they need no start of it. */
export async function findPinnedTools(
  { cache }: Pick<Parts, 'cache'>,
  document: Document,
): Promise<ToolDefinition[] | undefined> {
  const digest = findIntegrity(document.toolsDigest ?? '')
  const bytes = digest && (await cache.find(digest))
  return bytes && parseTools(bytes.toString('utf8'))
}

/** The same, from the registry where they were never seen here. */
export async function readPinnedTools(
  parts: Pick<Parts, 'cache' | 'registry' | 'isOffline'>,
  document: Document,
): Promise<ToolDefinition[] | undefined> {
  const known = await findPinnedTools(parts, document)
  const digest = findIntegrity(document.toolsDigest ?? '')
  if (known || !digest || parts.isOffline) return known
  const bytes = await parts.registry.readBlob(digest).catch((error: unknown) => {
    // Older registries serve only their digest.
    if (error instanceof PmlError && error.code === 'not_found') return undefined
    throw error
  })
  if (!bytes) return undefined
  await parts.cache.put(digest, bytes)
  return parseTools(new TextDecoder().decode(bytes))
}

/** Tools that are not those that were pinned are neither kept nor used. Without a digest nothing is known to compare with. */
export async function keepPinnedTools(
  { cache }: Pick<Parts, 'cache'>,
  document: Document,
  { name, tools }: { name: Name; tools: readonly ToolDefinition[] },
): Promise<void> {
  const { toolsDigest: expected } = document
  if (expected === undefined) return
  const bytes = findBytes(tools)
  const found = bytes && integrityOf(bytes)
  if (bytes === undefined || found === undefined || found !== expected)
    throw otherTools(name, { expected, found: found ?? 'nothing that can be hashed' })
  if (!(await cache.find(found))) await cache.put(found, bytes)
}

/** A digest may be of anything that was ever cached. */
function parseTools(text: string): ToolDefinition[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? (value as ToolDefinition[]) : undefined
  } catch {
    return undefined
  }
}

/** Undefined for what has no canonical form: half characters, or nesting without end. */
function findBytes(tools: readonly ToolDefinition[]): Uint8Array | undefined {
  try {
    return toolsBytes(tools)
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return undefined
    throw error
  }
}

function otherTools(name: Name, { expected, found }: { expected: string; found: string }): IntegrityError {
  return new IntegrityError(
    'integrity_mismatch',
    `Cannot use ${name}: its tools were pinned as ${expected}, but what it lists is ${found}; run "pml outdated" to see whether there is another release of it`,
    { fqdn: name, expected, found },
  )
}
