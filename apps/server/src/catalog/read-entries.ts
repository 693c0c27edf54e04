import type { Integrity, Name, Routing } from '@pml/core'
import type { Database } from '../db/connect.ts'
import type { McpType, Visibility } from '../db/schema.ts'
import { byteString } from '../wire/answer.ts'
import type { Entry } from './entry.ts'

interface EntryRow {
  readonly name: Name
  readonly visibility: Visibility
  readonly retired: boolean
  readonly integrity: Integrity
  readonly hash: string
  readonly type: McpType
  readonly routing: Routing
  readonly digest: string
  readonly bytes: Uint8Array
}

/** Which entries to read: public ones, or private ones as well. */
export type Audience = 'public' | 'all'

/** Reads the current releases of names in one query; unknown names are missing from the result. */
export async function readEntries(
  { lookups }: Pick<Database, 'lookups'>,
  names: readonly Name[],
  audience: Audience,
): Promise<Map<Name, Entry>> {
  const rows = await lookups<EntryRow[]>`
    select n.name, n.visibility, n.retired_at is not null as retired, r.integrity, r.hash, r.type, r.routing,
           r.served_digest as digest, coalesce(r.served, b.bytes) as bytes
    from mcp_name n
    join mcp_release r on r.name = n.name and r.integrity = n.current
    join blob b on b.integrity = r.integrity
    where n.name = any(${names as Name[]}) and (${audience === 'all'} or n.visibility = 'public')`
  return new Map(rows.map((row) => [row.name, entryOf(row)]))
}

/** Interns repeated values, to save memory. */
function entryOf({
  name,
  hash,
  integrity,
  visibility,
  retired,
  type,
  routing,
  digest,
  bytes,
}: EntryRow): Entry {
  return {
    name,
    hash,
    integrity,
    visibility: visibility === 'public' ? 'public' : 'private',
    retired,
    type: type === 'deno' ? 'deno' : type === 'stdio' ? 'stdio' : 'http',
    routing: routing === 'client' ? 'client' : 'server',
    digest,
    body: byteString(bytes),
  }
}
