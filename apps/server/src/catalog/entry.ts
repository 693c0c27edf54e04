import { hashMatches, printFqdn, type Fqdn, type Integrity, type Name } from '@pml/core'
import type { McpType, Visibility } from '../db/schema.ts'
import { chooseAnswer, corsHeaders, type Answer, type Conditional } from '../http/answer.ts'
import { gone, hashMismatch } from './refusals.ts'
import { mediaTypeOf } from './release.ts'

/** A name with its current release, and every answer about it made ready. */
export interface Entry extends Conditional {
  readonly name: Name
  readonly fqdn: Fqdn
  readonly hash: string
  readonly integrity: Integrity
  readonly visibility: Visibility
  readonly retired: boolean
  readonly redirect: Answer
}

export interface EntryRow {
  readonly name: Name
  readonly visibility: Visibility
  readonly retired: boolean
  readonly integrity: Integrity
  readonly hash: string
  readonly type: McpType
  readonly routing: string
  readonly served_digest: string
  readonly bytes: Uint8Array
}

export function entryOf(row: EntryRow): Entry {
  const { name, visibility, retired, integrity, hash, bytes } = row
  const fqdn = printFqdn(name, hash)
  const etag = `"${integrity}"`
  const shared = {
    ETag: etag,
    'Cache-Control': visibility === 'public' ? 'public, max-age=3600' : 'private, no-cache',
    'X-PML-Type': row.type,
    'X-PML-Routing': row.routing,
    'X-PML-FQDN': fqdn,
    ...corsHeaders,
  }
  const full = {
    'Content-Type': mediaTypeOf(row.type),
    'Content-Length': String(bytes.length),
    'Repr-Digest': row.served_digest,
    'X-Content-Type-Options': 'nosniff',
    ...shared,
  }
  const location = {
    Location: `/mcp/${fqdn}`,
    'Cache-Control': 'no-cache',
    'Content-Length': '0',
    ...corsHeaders,
  }
  return {
    name,
    fqdn,
    hash,
    integrity,
    visibility,
    retired,
    etag,
    found: { status: 200, headers: full, body: bytes },
    notModified: { status: 304, headers: shared, body: null },
    redirect: { status: 302, headers: location, body: null },
  }
}

/** The answer to a GET of this entry; preconditions count only where the plain answer would be 200 (RFC 9110, 13.2.1). */
export function answerFor(entry: Entry, hash: string | undefined, condition: string | undefined): Answer {
  if (entry.retired) throw gone(entry.name)
  if (hash === undefined) return entry.redirect
  if (!hashMatches(hash, entry)) throw hashMismatch(entry.name, { asked: hash, current: entry.hash })
  return chooseAnswer(entry, condition)
}
