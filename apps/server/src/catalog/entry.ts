import {
  hashMatches,
  ifNoneMatch,
  printFqdn,
  type Fqdn,
  type Integrity,
  type Name,
  type Routing,
} from '@pml/core'
import type { McpType, Visibility } from '../db/schema.ts'
import { corsHeaders, type Answer, type ByteString } from '../wire/answer.ts'
import { gone, hashMismatch } from './refusals.ts'
import { mediaTypeOf } from './release.ts'

/** A name with its current release. Small, so that many fit in memory. */
export interface Entry {
  readonly name: Name
  readonly hash: string
  readonly integrity: Integrity
  readonly visibility: Visibility
  readonly retired: boolean
  readonly type: McpType
  readonly routing: Routing
  /** Repr-Digest of `body`, computed when the release was stored. */
  readonly digest: string
  readonly body: ByteString
}

const allowOrigin = corsHeaders['Access-Control-Allow-Origin']
const exposeHeaders = corsHeaders['Access-Control-Expose-Headers']

/** Returns the response to a GET. Preconditions apply only if the response would be 200 (RFC 9110, 13.2.1). */
export function answerFor(entry: Entry, hash: string | undefined, condition: string | undefined): Answer {
  requireCurrent(entry, hash)
  if (hash === undefined) return redirectTo(entry)
  const etag = `"${entry.integrity}"`
  return ifNoneMatch(condition, etag) ? notModified(entry, etag) : found(entry, etag)
}

export function requireCurrent(entry: Entry, hash: string | undefined): void {
  if (entry.retired) throw gone(entry.name)
  if (hash !== undefined && !hashMatches(hash, entry))
    throw hashMismatch(entry.name, { asked: hash, current: entry.hash })
}

/** Writes headers out instead of spreading objects, as do the next two: they run on every read. */
function found(entry: Entry, etag: string): Answer {
  const { type, routing, digest, body, visibility } = entry
  const headers = {
    'Content-Type': mediaTypeOf(type),
    'Content-Length': String(body.length),
    ETag: etag,
    'Cache-Control': cacheControlOf(visibility),
    'X-PML-Type': type,
    'X-PML-Routing': routing,
    'X-PML-FQDN': fqdnOf(entry),
    'Repr-Digest': digest,
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': allowOrigin,
    'Access-Control-Expose-Headers': exposeHeaders,
  }
  return { status: 200, headers, body }
}

function notModified(entry: Entry, etag: string): Answer {
  const { type, routing, visibility } = entry
  const headers = {
    ETag: etag,
    'Cache-Control': cacheControlOf(visibility),
    'X-PML-Type': type,
    'X-PML-Routing': routing,
    'X-PML-FQDN': fqdnOf(entry),
    'Access-Control-Allow-Origin': allowOrigin,
    'Access-Control-Expose-Headers': exposeHeaders,
  }
  return { status: 304, headers, body: null }
}

function redirectTo(entry: Entry): Answer {
  const headers = {
    Location: `/mcp/${fqdnOf(entry)}`,
    'Cache-Control': 'no-cache',
    'Content-Length': '0',
    'Access-Control-Allow-Origin': allowOrigin,
    'Access-Control-Expose-Headers': exposeHeaders,
  }
  return { status: 302, headers, body: null }
}

export function fqdnOf({ name, hash }: Entry): Fqdn {
  return printFqdn(name, hash)
}

function cacheControlOf(visibility: Visibility): string {
  return visibility === 'public' ? 'public, max-age=3600' : 'private, no-cache'
}
