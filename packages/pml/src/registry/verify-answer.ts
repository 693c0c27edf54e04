import {
  documentBytes,
  findReference,
  hexOf,
  IntegrityError,
  integrityOf,
  parseReference,
  parseStrictJson,
  printFqdn,
  reprDigest,
  SHORTEST_HASH,
  type Fqdn,
  type Integrity,
  type JsonObject,
  type LockedType,
  type Name,
  type Routing,
} from '@pml/core'
import { showOnOneLine } from '@pml/core/show-invisible'
import type { HttpAnswer } from './http.ts'

/** A verified release of an entry. */
export interface Release {
  readonly name: Name
  readonly hash: string
  readonly integrity: Integrity
  readonly type: LockedType
  readonly routing: Routing
  /** The bytes that the integrity covers: the code, or the RFC 8785 form of the document. */
  readonly bytes: Uint8Array
}

/**
 * Hashes the received bytes, then requires everything that was said about them to agree: the address, the ETag, the digest
 * header, and what a document declares about itself. A mismatch cannot be approved.
 */
export function verifyAnswer({ headers, bytes: received }: HttpAnswer, asked: Fqdn): Release {
  const type = typeOf(headers['x-pml-type'], asked)
  const etag = /^(?:W\/)?"(.*)"$/.exec(headers['etag'] ?? '')?.[1]
  const document = type === 'deno' ? undefined : documentIn(received, { fqdn: asked, type })
  const bytes = document ? documentBytes(document) : received
  const found = integrityOf(bytes)
  const require = (what: string, said: unknown, expected: string) => {
    if (said !== expected) throw mismatch(asked, { what, said, found: expected })
  }
  const { name, hash: askedHash = '' } = parseReference(asked)
  if (!hexOf(found).startsWith(askedHash))
    throw mismatch(asked, { what: 'its address', said: askedHash, found })
  require('the ETag', etag, found)
  requireDigest(asked, headers['repr-digest'], received)
  const fqdn = canonicalOf(headers['x-pml-fqdn'], { name, found })
  const routing = routingOf(headers['x-pml-routing'], asked)
  if (document) {
    require('the document', document['integrity'], found)
    require('fqdn in the document', document['fqdn'], fqdn)
    require('type in the document', document['type'], type)
    require('routing in the document', document['routing'], routing)
  }
  return { name, hash: fqdn.slice(name.length + 1), integrity: found, type, routing, bytes }
}

/** The registry's FQDN of this content: a name and the beginning of its hash. */
function canonicalOf(said: string | undefined, { name, found }: { name: Name; found: Integrity }): Fqdn {
  const reference = findReference(said ?? '')
  const { hash = '' } = reference ?? {}
  const fits = reference?.name === name && hash.length >= SHORTEST_HASH && hexOf(found).startsWith(hash)
  if (!fits) throw mismatch(name, { what: 'X-PML-FQDN', said, found })
  return printFqdn(name, hash)
}

function requireDigest(fqdn: Fqdn, said = '', received: Uint8Array): void {
  const sha256 = said.split(',').find((one) => one.trim().startsWith('sha-256='))
  const found = reprDigest(integrityOf(received))
  if (sha256 !== undefined && sha256.trim() !== found)
    throw mismatch(fqdn, { what: 'Repr-Digest', said: sha256.trim(), found })
}

export function mismatch(
  fqdn: string,
  { what, said, found }: { what: string; said: unknown; found: string },
): IntegrityError {
  const declared = typeof said === 'string' && said !== '' ? showOnOneLine(said, 200) : 'nothing'
  return new IntegrityError(
    'integrity_mismatch',
    `Cannot trust ${fqdn}: the received content is ${found}, but ${what} says ${declared}; nothing was stored`,
    { fqdn, found, declared },
  )
}

/** The document in the response. Throws a mismatch for anything else. */
function documentIn(bytes: Uint8Array, { fqdn, type }: { fqdn: Fqdn; type: LockedType }): JsonObject {
  const value = findJson(bytes)
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as JsonObject
  throw mismatch(fqdn, { what: 'X-PML-Type', said: type, found: `no JSON document (${integrityOf(bytes)})` })
}

function findJson(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), 'it')
  } catch {
    return undefined
  }
}

function typeOf(said: string | undefined, fqdn: Fqdn): LockedType {
  if (said === 'deno' || said === 'stdio' || said === 'http') return said
  throw mismatch(fqdn, { what: 'X-PML-Type', said, found: 'deno, stdio or http' })
}

function routingOf(said: string | undefined, fqdn: Fqdn): Routing {
  if (said === 'client' || said === 'server') return said
  throw mismatch(fqdn, { what: 'X-PML-Routing', said, found: 'client or server' })
}
