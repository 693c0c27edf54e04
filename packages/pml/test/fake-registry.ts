import type { ServerResponse } from 'node:http'
import {
  documentBytes,
  hashFor,
  integrityOf,
  printFqdn,
  reprDigest,
  type Fqdn,
  type Integrity,
  type JsonObject,
  type Name,
} from '@pml/core'
import { startPeer, type Peer, type Seen } from './peer.ts'

/** A release of a registry that misbehaves. */
export interface FakeRelease {
  readonly name: Name
  readonly fqdn: Fqdn
  readonly integrity: Integrity
  readonly bytes: Buffer
  /** The correct headers and metadata of the release. */
  readonly headers: Record<string, string>
}

export function fakeRelease(name: string, code: string): FakeRelease {
  const bytes = Buffer.from(code)
  const integrity = integrityOf(bytes)
  const fqdn = printFqdn(name as Name, hashFor(integrity, []))
  const headers = {
    'content-type': 'application/typescript; charset=utf-8',
    etag: `"${integrity}"`,
    'repr-digest': reprDigest(integrity),
    'x-pml-type': 'deno',
    'x-pml-routing': 'client',
    'x-pml-fqdn': fqdn,
  }
  return { name: name as Name, fqdn, integrity, bytes, headers }
}

/** The same for a document, which contains its type. */
export function fakeDocument(
  name: string,
  document: JsonObject & { readonly type: 'stdio' | 'http' },
): FakeRelease {
  const covered = { routing: 'client', ...document }
  const integrity = integrityOf(documentBytes(covered))
  const fqdn = printFqdn(name as Name, hashFor(integrity, []))
  const bytes = Buffer.from(JSON.stringify({ ...covered, fqdn, integrity }))
  const headers = {
    'content-type': 'application/json',
    etag: `"${integrity}"`,
    'x-pml-type': document.type,
    'x-pml-routing': String(covered.routing),
    'x-pml-fqdn': fqdn,
  }
  return { name: name as Name, fqdn, integrity, bytes, headers }
}

/** Names its release correctly, and handles the request for it with `misbehave`. */
export async function startFakeRegistry(
  release: FakeRelease,
  misbehave: (response: ServerResponse, seen: Seen) => void,
): Promise<Peer> {
  return startPeer((response, seen) => {
    if (seen.path !== `/mcp/${release.name}`) return misbehave(response, seen)
    response.writeHead(302, { location: `/mcp/${release.fqdn}` }).end()
  })
}
