import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { contentHashOf } from '@pml/core/approvals'
import { connect, type Database } from '@pml/server/db/connect'
import { migrate } from '@pml/server/db/migrate'
import { hashSecret, newKeyText, printKey } from '@pml/server/keys/key-text'
import { root } from '../root.ts'

/** An approved change with its token. */
export interface Approved {
  readonly content: string
  readonly contentHash: string
  readonly path: string
  readonly token: string
}

export interface Seeded {
  readonly hookKey: string
  readonly approvals: readonly Approved[]
}

const PATTERNS = 200
const STEP = 5000
const PATH = 'src/app.ts'

/** Fills an empty database with valid approvals and patterns. */
export async function seedApprovals(databaseUrl: string, count: number): Promise<Seeded> {
  const db = connect(databaseUrl, { poolSize: 1 })
  try {
    await migrate(db.sql, join(root, 'migrations'))
    await db.sql`set statement_timeout = 0`
    const approver = await addKey(db, 'approve', 'guard')
    const hook = await addKey(db, 'hook', null)
    await addPatterns(db, approver.id)
    const approvals = Array.from({ length: count }, (_, number) => approvalOf(number))
    for (let at = 0; at < count; at += STEP) await store(db, approver.id, approvals.slice(at, at + STEP))
    await db.sql`vacuum analyze`
    return { hookKey: hook.key, approvals }
  } finally {
    await db.close()
  }
}

async function addKey({ sql }: Database, scope: string, specialist: string | null) {
  const text = newKeyText()
  await sql`insert into api_key (id, name, secret_hash, scopes, specialist, origin)
    values (${text.id}, 'bench', ${hashSecret(text.secret)}, ${[scope]}, ${specialist}, 'api')`
  return { id: text.id, key: printKey(text) }
}

/** Half of them approve, half block; none of them matches. */
async function addPatterns({ sql }: Database, addedBy: string): Promise<void> {
  await sql`insert into pattern (id, kind, type, pattern, reason, example, added_by)
    select 'pat_' || n, case when n % 2 = 0 then 'approve' else 'block' end, 'any',
      'describe\\(.never_' || n || '_(?:one|two|three)[a-z]+', 'bench', 'none', ${addedBy}
    from generate_series(1, ${PATTERNS}::int) n`
}

function approvalOf(number: number): Approved {
  const content = `test('case ${number}', async () => {\n  await expect(run(${number})).rejects.toThrow('not configured')\n})\n`
  const contentHash = contentHashOf(content)
  const token = `GUARD-20260101-${contentHash.slice(7, 15)}-${randomBytes(16).toString('hex')}`
  return { content, contentHash, path: PATH, token }
}

/** The same rows that block-change.ts and approve-change.ts write. */
async function store({ sql }: Database, approver: string, approvals: readonly Approved[]): Promise<void> {
  const ids = approvals.map(({ contentHash }) => `chg_${contentHash.slice(7, 23)}`)
  const tokens = approvals.map(({ token }) => createHash('sha256').update(token).digest('hex'))
  await sql`insert into change (id, content_hash, path, tool, type, status, size_bytes, invisible, token_hash,
      expires_at, decided_at, decided_by, specialist, reason)
    select id, hash, ${PATH}, 'Write', 'other', 'approved', 100, 0, token, clock_timestamp() + interval '23 hours',
      clock_timestamp(), ${approver}, 'guard', 'bench'
    from unnest(${ids}::text[], ${approvals.map(({ contentHash }) => contentHash)}::text[],
      ${tokens}::text[]) as a (id, hash, token)`
  await sql`insert into change_content (change_id, bytes) select id, convert_to(content, 'UTF8')
    from unnest(${ids}::text[], ${approvals.map(({ content }) => content)}::text[]) as a (id, content)`
}
