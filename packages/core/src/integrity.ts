import { canonicalJson, type JsonObject } from './canonical-json.ts'

declare const integrity: unique symbol

/** `sha256-` and 64 lowercase hex characters, checked. */
export type Integrity = string & { readonly [integrity]: true }

export const SHORTEST_HASH = 4

const integrityPattern = /^sha256-[0-9a-f]{64}$/
const encoder = new TextEncoder()

export function findIntegrity(text: string): Integrity | undefined {
  return integrityPattern.test(text) ? (text as Integrity) : undefined
}

/** Returns the bytes that the integrity of a metadata document covers: its RFC 8785 form without `fqdn` and `integrity`. */
export function documentBytes(document: JsonObject): Uint8Array {
  const { fqdn: _fqdn, integrity: _integrity, ...covered } = document
  return encoder.encode(canonicalJson(covered))
}

export function hexOf(integrity: Integrity): string {
  return integrity.slice('sha256-'.length)
}

/** RFC 9530, for bytes whose SHA-256 is this integrity. */
export function reprDigest(integrity: Integrity): string {
  return `sha-256=:${Buffer.from(hexOf(integrity), 'hex').toString('base64')}:`
}

/** Returns the shortest label that matches no other release of the same name. */
export function hashFor(integrity: Integrity, others: Iterable<Integrity>): string {
  const own = hexOf(integrity)
  let length = SHORTEST_HASH
  for (const other of others) {
    if (other === integrity) continue
    length = Math.max(length, sharedPrefixLength(own, hexOf(other)) + 1)
  }
  return own.slice(0, length)
}

/** A longer prefix than the label matches; a shorter one may belong to another release. */
export function hashMatches(hash: string, release: { hash: string; integrity: Integrity }): boolean {
  return hash.length >= release.hash.length && hexOf(release.integrity).startsWith(hash)
}

function sharedPrefixLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
