import type { AuditRow } from '@pml/core/audit'
import type { AuditHeadAnswer, AuditPage } from '@pml/core/schemas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { record, tamper, verifyLines } from '../../test/audit.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

let registry: TestRegistry
let reviewer: { Authorization: string }

beforeAll(async () => {
  registry = await startRegistry()
  reviewer = await registry.key('approve', 'read:*')
  for (let n = 1; n <= 7; n++) await record(registry.db, `thing ${n}`, { note: `Für ${n}%_` })
})
afterAll(() => registry.stop())

const get = (path: string, headers: Record<string, string> = reviewer) => registry.fetch(path, { headers })
const search = async (query: string) =>
  (await (await get(`/audit?${query}`)).json()) as AuditPage & Record<string, unknown>

async function call(tool: string, args: object, headers: Record<string, string> = reviewer) {
  const response = await registry.fetch(`/tools/${tool}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(args),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('the audit log over HTTP', () => {
  it.each(['/audit', '/audit/head', '/audit/export'])('refuses %s without scope approve', async (path) => {
    expect((await get(path, {})).status).toBe(401)
    const response = await get(path, await registry.key('hook', 'publish:*', 'pattern'))
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { error: 'forbidden', scope: 'approve' },
    ])
    const allowed = await get(path, await registry.key('admin'))
    expect([allowed.status, allowed.headers.get('cache-control')]).toEqual([200, 'no-store'])
    await allowed.body?.cancel()
  })

  it.each(['audit_search', 'audit_head', 'audit_verify'])(
    'refuses the tool %s without scope approve',
    async (tool) => {
      expect((await call(tool, {}, {})).status).toBe(401)
      expect(await call(tool, {}, await registry.key('hook'))).toMatchObject({
        status: 403,
        body: { error: 'forbidden', scope: 'approve' },
      })
    },
  )
})

describe('GET /audit', () => {
  it('returns the newest events first, page by page, each event once', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await search(`action=test.write&limit=3${cursor ? `&cursor=${cursor}` : ''}`)
      expect(page.events.length).toBeLessThanOrEqual(3)
      seen.push(...page.events.map(({ subject }) => subject))
      cursor = page.nextCursor
    } while (cursor)
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map((n) => `thing ${n}`))
  })

  it('returns all fields of an event, with seq once it is sealed', async () => {
    await expect.poll(async () => (await search('subject=thing+3')).events[0]?.seq).toBeGreaterThan(0)
    expect((await search('subject=thing+3')).events).toEqual([
      {
        id: expect.any(Number),
        seq: expect.any(Number),
        at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        actor: 'writer',
        action: 'test.write',
        subject: 'thing 3',
        detail: { note: 'Für 3%_' },
      },
    ])
  })

  it('filters by actor, action, time and text', async () => {
    const count = async (query: string) => (await search(query)).events.length
    expect(await count('actor=writer')).toBe(7)
    expect(await count('actor=nobody')).toBe(0)
    expect(await count(`q=${encodeURIComponent('FüR 4%_')}`)).toBe(1)
    expect(await count('q=thing_4')).toBe(0)
    const [event] = (await search('subject=thing+5')).events
    const at = encodeURIComponent(event?.at ?? '')
    expect((await search(`action=test.write&since=${at}`)).events.at(-1)?.at).toBe(event?.at)
    const before = (await search(`action=test.write&until=${at}`)).events
    expect(before.every((other) => other.at < (event?.at ?? ''))).toBe(true)
    expect(await count('until=2020-01-01T00:00:00Z')).toBe(0)
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1e1', 'limit'],
    ['since=yesterday', 'since'],
    ['until=0000-01-01T00:00:00Z', 'until'],
    ['cursor=x', 'cursor'],
    ['action=', 'action'],
    ['q=%00', 'q'],
    ['page=1', 'page'],
    ['actor=a&actor=b', 'actor'],
  ])('refuses %s and names the parameter', async (query, parameter) => {
    const response = await get(`/audit?${query}`)
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'invalid_query', parameter },
    ])
  })

  it('is also available as the tool audit_search', async () => {
    const { body } = await call('audit_search', { action: 'test.write', limit: 2 })
    expect(body).toEqual(await search('action=test.write&limit=2'))
    const bad = await call('audit_search', { cursor: 'x' })
    expect(bad).toMatchObject({ status: 400, body: { error: 'invalid_query', parameter: 'cursor' } })
  })
})

describe('GET /audit/export', () => {
  it('returns a file that verifies by itself and holds every earlier event', async () => {
    await record(registry.db, 'just now')
    const response = await get('/audit/export')
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    const lines = (await response.text()).trimEnd().split('\n')
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      format: 'pml-audit',
      version: 2,
      keys: [{ key: expect.any(String), signature: null }],
      checkpoint: null,
    })
    const rows = lines.slice(1, -1).map((line) => JSON.parse(line) as AuditRow)
    expect(rows.map(({ subject }) => subject)).toContain('just now')
    expect(Object.keys(rows[0] ?? {})).toEqual([
      'seq',
      'at',
      'actor',
      'action',
      'subject',
      'detail',
      'prev',
      'hash',
    ])
    const { seq, hash } = rows.at(-1) as AuditRow
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      head: { seq, hash },
      rows: rows.length,
      signature: expect.any(String),
    })
    expect(verifyLines(lines, { seq, hash })).toMatchObject({ ok: true, rows: rows.length })
  })

  it('answers HEAD without reading the log', async () => {
    const response = await registry.fetch('/audit/export', { method: 'HEAD', headers: reviewer })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it('cuts the connection when it fails, so that the file does not look complete', async () => {
    const broken = await startRegistry()
    const headers = await broken.key('approve', 'read:*')
    await broken.db.sql`insert into audit_event (actor, action, subject, detail)
      select 'a', 'test.many', n::text, jsonb_build_object('text', repeat('x', 2000)) from generate_series(1, 6000) n`
    const response = await broken.fetch('/audit/export', { headers })
    const reader = response.body?.getReader()
    await reader?.read()
    await tamper(broken.db, 'alter table audit_link rename to audit_link_away')
    const rest = async () => {
      for (;;) if ((await reader?.read())?.done) return
    }
    await expect(rest()).rejects.toThrow('terminated')
    expect(broken.log.join('')).toContain('an export was cut off')
    await broken.stop()
  })
})

describe('audit_verify and audit_head', () => {
  it('return that the log is valid, and its head', async () => {
    const readHead = async () => (await (await get('/audit/head')).json()) as AuditHeadAnswer
    await expect.poll(async () => (await readHead()).pending).toBe(0)
    const head = await readHead()
    expect((await call('audit_head', {})).body).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect((await call('audit_verify', { head: `${head.seq}:${head.hash}` })).body).toMatchObject({
      ok: true,
      problems: [],
    })
    const wrong = await call('audit_verify', { head: `${head.seq}:${'a'.repeat(64)}` })
    expect(wrong.body).toMatchObject({ ok: false, problems: [{ seq: head.seq }] })
    expect((await call('audit_verify', { head: '1' })).status).toBe(422)
  })

  it('name a row that was changed in the database', async () => {
    await tamper(registry.db, "update audit_event set actor = 'eve' where subject = 'thing 2'")
    const { body } = await call('audit_verify', {})
    expect(body).toMatchObject({ ok: false, problems: [{ problem: expect.stringContaining('changed') }] })
  })
})
