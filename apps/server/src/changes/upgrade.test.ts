import { createHash, randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callerWith, spend, type Caller } from '../../test/approvals.ts'
import { createDatabase } from '../../test/database.ts'
import { migrationsDir } from '../../test/paths.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { migrate } from '../db/migrate.ts'

/** The last migration of the version whose hash ignored line ends and byte order marks. */
const LAST = '0007'

let registry: TestRegistry
let hook: Caller
let guard: Caller

const content = `\u{feff}run('${randomUUID()}')\r\n\r\n`
const token = 'GUARD-20261117-0a1b2c3d-00112233445566778899'
const patterns = {
  pat_spanning: ['approve', '^import "[^;]+;$'],
  pat_lines: ['approve', String.raw`\Arun\('[^']*'\)\nstop\(\)\n\z`],
  pat_good: ['approve', String.raw`^run\(\d+\) // checked$`],
  pat_block: ['block', String.raw`(?s)eval\(.*\)`],
} as const

beforeAll(async () => {
  const databaseUrl = await createDatabase({ template: 'template0' })
  const folder = await mkdtemp(join(tmpdir(), 'pml-older-'))
  for (const file of await readdir(migrationsDir))
    if (file < `${LAST}z`) await cp(join(migrationsDir, file), join(folder, file))
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  await migrate(sql, folder)
  await sql`insert into api_key (id, name, secret_hash, scopes, specialist, origin)
    values ('reviewer', 'reviewer', '', '{approve}', 'guard', 'api')`
  const canonical = createHash('sha256').update(`${content.trim()}\n`).digest('hex')
  await sql`insert into change (id, content_hash, path, tool, type, status, size_bytes, invisible, token_hash,
      expires_at, decided_at, decided_by, specialist)
    values ('chg_00', ${`sha256-${canonical}`}, 'a.ts', 'Write', 'other', 'approved', 1, 0,
      ${createHash('sha256').update(token).digest('hex')}, now() + interval '1 hour', now(), 'reviewer', 'guard')`
  await sql`insert into change_content (change_id, bytes) values ('chg_00', ${Buffer.from(content)})`
  for (const [id, [kind, pattern]] of Object.entries(patterns))
    await sql`insert into pattern (id, kind, type, pattern, reason, example, added_by)
      values (${id}, ${kind}, 'any', ${pattern}, 'r', 'e', 'keeper')`
  await migrate(sql, migrationsDir)
  await sql.end()
  await rm(folder, { recursive: true })
  registry = await startRegistry({ databaseUrl })
  hook = await callerWith(registry, ['hook'])
  guard = await callerWith(registry, ['approve', 'pattern'], 'guard')
})
afterAll(() => registry.stop())

describe('a registry over the database of an older version', () => {
  it('keeps approvals, for the bytes that were reviewed', async () => {
    const path = 'a.ts'
    for (const other of [content.trim(), content.replaceAll('\r', ''), content.slice(1)])
      expect((await spend(hook, { content: other, path, token })).status).toBe(409)
    expect((await spend(hook, { content, path, token })).status).toBe(200)
  })

  it('disables approve patterns that can match a line end, and records it in the audit log and the report', async () => {
    const { body } = await guard.send('GET', '/approvals/patterns')
    const ids = (body['patterns'] as { id: string }[]).map(({ id }) => id)
    expect(ids.toSorted()).toEqual(['pat_block', 'pat_good'])
    const report = (await guard.send('GET', '/audit/report')).body
    const reason = expect.stringContaining('it can match a line end')
    const disabled = report['disabledPatterns'] as { id: string }[]
    expect(disabled.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toMatchObject([
      { id: 'pat_lines', reason },
      { id: 'pat_spanning', type: 'any', pattern: patterns.pat_spanning[1], reason },
    ])
    const events = (await guard.send('GET', '/audit?action=pattern.disable')).body['events']
    expect(events).toHaveLength(2)
    expect(events).toContainEqual(
      expect.objectContaining({
        actor: 'system',
        subject: 'pat_spanning',
        detail: expect.objectContaining({ reason }),
      }),
    )
  })

  it('checks a pattern once', async () => {
    const again = await startRegistry({ databaseUrl: registry.databaseUrl })
    await again.stop()
    const events = (await guard.send('GET', '/audit?action=pattern.disable')).body['events']
    expect(events).toHaveLength(2)
  })
})
