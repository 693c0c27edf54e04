import { join } from 'node:path'
import { connect } from '@pml/server/db/connect'
import { migrate } from '@pml/server/db/migrate'
import { moduleText } from '../registry/module-text.js'
import { root } from '../root.js'
const MODULE_BYTES = 1000
const NUMBER = 'NUMBER'
/** Fills an empty database with modules, as publishing would have an hour ago. Gives their FQDNs in no order. */
export async function seedEntries(databaseUrl, count) {
  const db = connect(databaseUrl, { poolSize: 1 })
  try {
    await migrate(db.sql, join(root, 'migrations'))
    await db.sql`set statement_timeout = 0`
    // Nobody listens yet, and what the constraints ask for is in the statements below.
    await db.sql`set session_replication_role = replica`
    await makeEntries(db, count)
    await store(db)
    await db.sql`vacuum analyze`
    const rows = await db.sql`select fqdn from pml_registry order by integrity`
    return rows.map(({ fqdn }) => fqdn)
  } finally {
    await db.close()
  }
}
/** Names are in another order than the rows on disk, as in a registry that grew. */
async function makeEntries({ sql }, count) {
  const text = moduleText(NUMBER, MODULE_BYTES)
  await sql`
    create temporary table entry as
    select name, bytes, sha256(bytes) as digest, split_part(name, '.', 3) || ':' || split_part(name, '.', 4) as tool,
           'Counts the words of a text, variant ' || number as description
    from (
      select number, convert_to(replace(${text}, ${NUMBER}, number::text), 'UTF8') as bytes,
             format('o_%s.p_%s.n_%s.t_%s', left(md5, 2), substr(md5, 3, 2), substr(md5, 5, 4), number) as name
      from (select number, md5(number::text) from generate_series(1, ${count}::int) number) numbered
    ) named`
}
/** The rows that catalog/store-release.ts writes for a new module. */
async function store({ sql }) {
  const integrity = sql`'sha256-' || encode(digest, 'hex')`
  const then = sql`now() - interval '1 hour'`
  await sql`insert into blob (integrity, media_type, bytes)
    select ${integrity}, 'application/typescript; charset=utf-8', bytes from entry`
  await sql`insert into mcp_name (name, source, current, created_at, revision, updated_at)
    select name, 'published', ${integrity}, ${then}, 2, ${then} from entry`
  await sql`insert into mcp_release (name, integrity, hash, type, routing, routing_chosen, description, tools, search,
      size_bytes, served_digest)
    select name, ${integrity}, left(encode(digest, 'hex'), 4), 'deno', 'client', false, description, array[tool],
      lower(concat_ws(e'\n', name, description, tool)), length(bytes), 'sha-256=:' || encode(digest, 'base64') || ':'
    from entry`
  await sql`insert into publication (name, integrity, published_at, published_by)
    select name, ${integrity}, ${then}, 'bench' from entry`
  await sql`insert into blob_use (integrity, name) select ${integrity}, name from entry`
}
