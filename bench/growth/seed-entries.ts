import { join } from 'node:path'
import { printWordKeys } from '@pml/server/catalog/spelling'
import { connect, type Database } from '@pml/server/db/connect'
import { migrate } from '@pml/server/db/migrate'
import { moduleText } from '../registry/module-text.ts'
import { root } from '../root.ts'
import { createVocabulary } from './vocabulary.ts'

const MODULE_BYTES = 1000
const NUMBER = 'NUMBER'
const WORDS = 9

/** Fills an empty database with modules, as if published an hour ago. */
export async function seedEntries(databaseUrl: string, count: number): Promise<void> {
  const db = connect(databaseUrl, { poolSize: 1 })
  try {
    await migrate(db.sql, join(root, 'migrations'))
    await db.sql`set statement_timeout = 0`
    await db.sql`set maintenance_work_mem = '512MB'`
    // Nothing listens for notifications yet, and the statements below satisfy the constraints.
    await db.sql`set session_replication_role = replica`
    await makeEntries(db, count)
    await store(db)
    await index(db)
    await db.sql`vacuum analyze`
  } finally {
    await db.close()
  }
}

/** In random order. */
export async function readFqdns(databaseUrl: string): Promise<string[]> {
  const db = connect(databaseUrl, { poolSize: 1 })
  try {
    const rows = await db.sql<{ fqdn: string }[]>`select fqdn from pml_registry order by integrity`
    return rows.map(({ fqdn }) => fqdn)
  } finally {
    await db.close()
  }
}

/**
 * Names are in another order than the rows on disk, as in a registry that grew. Words follow Zipf's law, so some are in a large
 * share of all entries.
 */
async function makeEntries({ sql }: Database, count: number): Promise<void> {
  const text = moduleText(NUMBER, MODULE_BYTES)
  const words = createVocabulary()
  await sql`create temporary table word as
    select * from unnest(${words}::text[]) with ordinality as listed (text, place)`
  await sql`create unique index on word (place)`
  await sql`create temporary table drawn as
    select number, array_agg(text order by turn) as words
    from generate_series(1, ${count}::int) number
    cross join generate_series(1, ${WORDS}) turn
    join word on place =
      floor(exp((hashtextextended(number::text, turn) & 16777215) / 16777216.0::float * ln(${words.length}::int)))::int
    group by number`
  await sql`
    create temporary table entry as
    select name, bytes, sha256(bytes) as digest, split_part(name, '.', 3) || ':' || split_part(name, '.', 4) as tool,
           'Counts ' || array_to_string(words[1:6], ' ') || ' of the ' || words[7] as description
    from (
      select number, words, convert_to(replace(${text}, ${NUMBER}, number::text), 'UTF8') as bytes,
             format('o_%s.%s.%s.%s_%s_%s', left(md5(number::text), 3), words[8], words[9], words[1], words[2], number) as name
      from drawn
    ) named`
}

/** The same rows that catalog/store-release.ts writes for a new module. */
async function store({ sql }: Database): Promise<void> {
  const integrity = sql`'sha256-' || encode(digest, 'hex')`
  const then = sql`now() - interval '1 hour'`
  await sql`insert into blob (integrity, media_type, bytes)
    select ${integrity}, 'application/typescript; charset=utf-8', bytes from entry`
  // Dropped, because the check would take longer than everything else; all generated names pass it.
  const [check] = await sql<{ definition: string }[]>`
    select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'mcp_name_name_check'`
  await sql`alter table mcp_name drop constraint mcp_name_name_check`
  await sql`insert into mcp_name (name, source, current, created_at, revision, updated_at)
    select name, 'published', ${integrity}, ${then}, 2, ${then} from entry`
  await sql.unsafe(`alter table mcp_name add constraint mcp_name_name_check ${check?.definition} not valid`)
  await sql`insert into mcp_release (name, integrity, hash, type, routing, routing_chosen, description, tools, search,
      size_bytes, served_digest)
    select name, ${integrity}, left(encode(digest, 'hex'), 4), 'deno', 'client', false, description, array[tool],
      lower(concat_ws(e'\n', name, description, tool)), length(bytes), 'sha-256=:' || encode(digest, 'base64') || ':'
    from entry`
  await sql`insert into publication (name, integrity, published_at, published_by)
    select name, ${integrity}, ${then}, 'bench' from entry`
  await sql`insert into blob_use (integrity, name) select ${integrity}, name from entry`
}

/** Does the work of triggers and the background job, and builds the large index once at the end. */
async function index({ sql }: Database): Promise<void> {
  await sql`drop index catalog_entry_words`
  await sql`insert into catalog_entry (name, org, visibility, type, routing, tools, words)
    select name, org, visibility, type, routing, tools, catalog_words(name, type, routing, visibility, tools, search)
    from pml_registry`
  await sql`create index catalog_entry_words on catalog_entry using gin (words) with (fastupdate = off)`
  const words = createVocabulary().filter((word) => word.length > 1)
  const keys = words.map(printWordKeys)
  await sql`insert into catalog_word (word, org, keys)
    select word, '', string_to_array(keys, ' ') from unnest(${words}::text[], ${keys}::text[]) as listed (word, keys)`
}
