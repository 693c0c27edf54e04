import { findIntegrity, IntegrityError, integrityOf, PmlError, type Name } from '@pml/core'
import { toolsBytes, type ToolDefinition } from '@pml/core/pins'
import type { StdioDocument } from '../../workspace/documents.ts'
import type { Parts } from '../../registry/parts.ts'

type Document = Pick<StdioDocument, 'toolsDigest'>

/** The pinned tools of a registry server if they are cached, without starting it. */
export async function findPinnedTools(
  { cache }: Pick<Parts, 'cache'>,
  document: Document,
): Promise<ToolDefinition[] | undefined> {
  const digest = findIntegrity(document.toolsDigest ?? '')
  const bytes = digest && (await cache.find(digest))
  return bytes && parseTools(bytes.toString('utf8'))
}

/** The same; fetched from the registry if they are not cached. */
export async function readPinnedTools(
  parts: Pick<Parts, 'cache' | 'registry' | 'isOffline'>,
  document: Document,
): Promise<ToolDefinition[] | undefined> {
  const known = await findPinnedTools(parts, document)
  const digest = findIntegrity(document.toolsDigest ?? '')
  if (known || !digest || parts.isOffline) return known
  const bytes = await parts.registry.readBlob(digest).catch((error: unknown) => {
    // Older registries serve only the digest.
    if (error instanceof PmlError && error.code === 'not_found') return undefined
    throw error
  })
  if (!bytes) return undefined
  await parts.cache.put(digest, bytes)
  return parseTools(new TextDecoder().decode(bytes))
}

/** Caches the tools of a server. Throws if they differ from the pinned ones. Without a digest there is nothing to compare. */
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

/** Undefined for anything but a list: the digest could be of any cached content. */
function parseTools(text: string): ToolDefinition[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? (value as ToolDefinition[]) : undefined
  } catch {
    return undefined
  }
}

/** Undefined for tools without a canonical form: lone surrogates or too deep nesting. */
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
    `Cannot use ${name}: its tools were pinned as ${expected}, but it lists ${found}; run "pml outdated" to look for a newer release`,
    { fqdn: name, expected, found },
  )
}
