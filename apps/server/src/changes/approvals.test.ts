import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  approve,
  block,
  callerWith,
  newContent,
  reject,
  send,
  spend,
  type Caller,
} from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { auditEvent, change } from '../db/schema.ts'

let registry: TestRegistry
let hook: Caller
let guard: Caller

beforeAll(async () => {
  registry = await startRegistry()
  hook = await callerWith(registry, ['hook'])
  guard = await callerWith(registry, ['approve'], 'Test Guard')
})
afterAll(() => registry.stop())

const eventsOf = (subject: string) =>
  registry.db.orm.select().from(auditEvent).where(eq(auditEvent.subject, subject)).orderBy(auditEvent.id)

async function expire(id: string): Promise<void> {
  await registry.db.orm
    .update(change)
    .set({ expiresAt: sql`clock_timestamp() - interval '1 second'` })
    .where(eq(change.id, id))
}

describe('a blocked change', () => {
  it('is stored, and is the same change for as long as it is open', async () => {
    const first = await block(hook, { agent: 'builder', session: 's1' })
    expect(first.status).toBe(201)
    expect(first.body).toEqual({
      id: expect.stringMatching(/^chg_[0-9a-f]{16}$/),
      contentHash: expect.stringMatching(/^sha256-[0-9a-f]{64}$/),
      status: 'blocked',
      path: 'src/app.ts',
      type: 'other',
      specialists: ['*'],
    })
    const { content } = first
    const again = await block(hook, { content, agent: 'helper' })
    expect([again.status, again.id, again.contentHash]).toEqual([200, first.id, first.contentHash])
    const other = await block(hook, { content: content.replaceAll('\n', '\r\n') })
    expect([other.status, other.id === first.id]).toEqual([201, false])
    const elsewhere = await block(hook, { content, path: 'src/other.ts' })
    expect([elsewhere.status, elsewhere.contentHash]).toEqual([201, first.contentHash])
    expect(elsewhere.id).not.toBe(first.id)
    const { body } = await hook.send('GET', `/approvals/changes/${first.id}`)
    expect(body).toMatchObject({
      status: 'blocked',
      content,
      warnings: [],
      agents: ['builder', 'helper'],
      requests: [
        { key: hook.id, agent: 'builder', session: 's1' },
        { key: hook.id, agent: 'helper', session: null },
      ],
    })
  })

  it('is one change for many concurrent requests', async () => {
    const content = newContent()
    const all = await Promise.all(Array.from({ length: 50 }, () => block(hook, { content })))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  it('is shown with invisible characters escaped, and a warning', async () => {
    const { id } = await block(hook, { content: 'const admin\u202e = \u200b1\n' })
    const { body } = await guard.send('GET', `/approvals/changes/${id}`)
    expect(body['content']).toBe('const admin\\u{202e} = \\u{200b}1\n')
    expect(body['warnings']).toEqual([expect.stringContaining('2 characters')])
  })

  it('is shown with a warning if its path has invisible characters', async () => {
    const { id, path } = await block(hook, { path: 'src/\u{202e}nosj.egakcap' })
    const { body } = await guard.send('GET', `/approvals/changes/${id}`)
    expect(body).toMatchObject({
      path,
      warnings: [
        'Its path has 1 character that cannot be seen or that reorder the text: it is src/\\u{202e}nosj.egakcap',
      ],
    })
  })

  it('is listed newest first, in pages, filtered by status, type, path, agent and words', async () => {
    const agent = `lister-${process.pid}`
    const ids: string[] = []
    for (const path of ['list/a.ts', 'list/b.ts', 'list/c.ts'])
      ids.unshift((await block(hook, { path, agent })).id)
    await approve(guard, ids[0] ?? '')
    const list = async (query: string) => {
      const { body } = await guard.send('GET', `/approvals/changes?agent=${agent}${query}`)
      return (body['changes'] as { id: string }[]).map(({ id }) => id)
    }
    expect(await list('')).toEqual(ids)
    expect(await list('&status=blocked')).toEqual(ids.slice(1))
    expect(await list('&status=approved')).toEqual(ids.slice(0, 1))
    expect(await list('&status=expired')).toEqual([])
    expect(await list('&path=list/a.ts')).toEqual(ids.slice(2))
    expect(await list('&q=LIST/B')).toEqual(ids.slice(1, 2))
    expect(await list('&type=test')).toEqual([])
    const first = await guard.send('GET', `/approvals/changes?agent=${agent}&limit=2`)
    const cursor = String(first.body['nextCursor'])
    expect(await list(`&limit=2&cursor=${cursor}`)).toEqual(ids.slice(2))
    await expire(ids[0] ?? '')
    expect(await list('&status=expired')).toEqual(ids.slice(0, 1))
  })

  it.each(['status=open', 'limit=0', 'limit=101', 'cursor=x', 'colour=red', 'status=blocked&status=used'])(
    'is not listed for the invalid query %s',
    async (query) => {
      const { status, body } = await guard.send('GET', `/approvals/changes?${query}`)
      expect([status, body.error, body['parameter']]).toEqual([400, 'invalid_query', query.split('=')[0]])
    },
  )

  it('is not listed for an invented cursor, such as one with the 45th day of a month', async () => {
    const cursor = Buffer.from('2026-11-45 00:00:00+00|chg_0123').toString('base64url')
    const { status, body } = await guard.send('GET', `/approvals/changes?cursor=${cursor}`)
    expect([status, body.error, body['parameter']]).toEqual([400, 'invalid_query', 'cursor'])
  })

  it.each([
    ['GET', ''],
    ['POST', '/approve'],
    ['POST', '/reject'],
  ])('is not found under an id that no database can hold: %s …%s', async (method, verb) => {
    const request = { reason: 'It is empty', ...(verb === '/reject' && { education: 'Say more' }) }
    const { status, body } = await guard.send(
      method,
      `/approvals/changes/%00${verb}`,
      method === 'POST' ? request : undefined,
    )
    expect([status, body.error]).toEqual([404, 'not_found'])
  })

  it('reports that the configuration cannot be read', async () => {
    const configDir = await mkdtemp(join(tmpdir(), 'pml-broken-'))
    await writeFile(join(configDir, 'approvals.json'), '{"types":')
    const broken = await startRegistry({ configDir, databaseUrl: registry.databaseUrl })
    const caller = {
      ...guard,
      send: (method: string, path: string, body?: unknown) =>
        send(`${broken.url}${path}`, guard.key, { method, body }),
    }
    const { id } = await block(hook)
    expect(await approve(caller, id)).toMatchObject({ status: 503, body: { error: 'unavailable' } })
    await broken.stop()
    await rm(configDir, { recursive: true })
  })

  it.each([
    [{ path: 'ü'.repeat(1500) }, 422],
    [{ path: '' }, 422],
    [{ path: 'a\0b' }, 400],
    [{ tool: '' }, 422],
    [{ content: 'x'.repeat(1024 * 1024 + 1) }, 413],
    [{ content: 'x'.repeat(5_000_000) }, 413],
  ])('is refused when it is malformed or too large', async (request, status) => {
    expect((await block(hook, request)).status).toBe(status)
  })
})

describe('an approval', () => {
  it('gives a token that is shown once, stored only as a hash, and good for five minutes', async () => {
    const { id, contentHash, path } = await block(hook)
    const { status, body } = await approve(guard, id)
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    expect(status).toBe(200)
    expect(body.token).toMatch(new RegExp(`^TEST-GUARD-${day}-${contentHash.slice(7, 15)}-[0-9a-f]{32}$`))
    expect(body['instruction']).toContain(body.token)
    const left = Date.parse(String(body['expires'])) - Date.now()
    expect(left).toBeGreaterThan(280_000)
    expect(left).toBeLessThanOrEqual(300_000)
    const [row] = await registry.db.orm.select().from(change).where(eq(change.id, id))
    expect(JSON.stringify(row)).not.toContain(body.token)
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      actor: guard.id,
      action: 'change.approve',
      detail: { path, contentHash, specialist: 'Test Guard', reason: 'It is precise' },
    })
    expect(JSON.stringify(await eventsOf(id))).not.toContain(body.token)
    expect(registry.log.join('')).not.toContain(body.token)
  })

  it('allows its content once, with the token, and not a second time', async () => {
    const blocked = await block(hook)
    const { token } = (await approve(guard, blocked.id)).body
    expect(await spend(hook, { ...blocked, token })).toEqual({
      status: 200,
      body: { approved: true, via: 'token', changeId: blocked.id, pattern: null, specialist: 'Test Guard' },
    })
    expect(await spend(hook, { ...blocked, token })).toMatchObject({
      status: 409,
      body: { error: 'already_used' },
    })
    expect((await eventsOf(blocked.id)).map(({ action }) => action)).toEqual([
      'change.block',
      'change.approve',
      'change.spend',
    ])
    expect((await block(hook, blocked)).id).not.toBe(blocked.id)
  })

  it.each([
    ['without any marker', (content: string) => content],
    ['with the marker', (content: string, token: string) => `// TEST-GUARD-APPROVED: ${token}\n${content}`],
    [
      'with the marker at its end',
      (content: string, token: string) => `${content}// TEST-GUARD-APPROVED: ${token}`,
    ],
  ])('allows its content %s', async (_how, written) => {
    const blocked = await block(hook)
    const { token } = (await approve(guard, blocked.id)).body
    const content = written(blocked.content, token)
    expect(await spend(hook, { ...blocked, content })).toMatchObject({ status: 200, body: { via: 'token' } })
    expect(await spend(hook, { ...blocked, content })).toMatchObject({
      status: 409,
      body: { error: 'already_used' },
    })
  })

  it('treats an older marker as content, and an invented one as a guess', async () => {
    const first = await block(hook)
    const old = (await approve(guard, first.id)).body.token
    expect((await spend(hook, { ...first, token: old })).status).toBe(200)
    const blocked = await block(hook, { content: `run(1)\n// TEST-GUARD-APPROVED: ${old}\n` })
    const { token } = (await approve(guard, blocked.id)).body
    const invented = `${blocked.content}// TEST-GUARD-APPROVED: ${token.slice(0, -8)}00000000\n`
    const refused = await spend(hook, { ...blocked, content: invented })
    expect(refused).toMatchObject({ status: 409, body: { error: 'not_approved' } })
    expect((await eventsOf(String(refused.body['contentHash']))).at(-1)).toMatchObject({
      action: 'change.spend_refused',
      detail: { hasToken: true },
    })
    const without = { ...blocked, content: 'run(1)\n' }
    expect((await spend(hook, without)).status).toBe(409)
    const marked = { ...blocked, content: `${blocked.content}// TEST-GUARD-APPROVED: ${token}\n` }
    expect((await spend(hook, marked)).status).toBe(200)
  })

  const mark = (token: string) => `TEST-GUARD-APPROVED: ${token}`
  it.each<[string, string, string, (token: string) => string]>([
    ['a byte order mark', 'a.sh', '# note; touch X\n', () => '\u{feff}# note; touch X\n'],
    ['LF for CRLF', 'a.sh', 'echo a \\\r\nrm b\n', () => 'echo a \\\nrm b\n'],
    ['LF for CR CR LF', 'a.py', '# a \\\r\r\nrun()\n', () => '# a \\\nrun()\n'],
    ['no final newline', 'a.sh', 'echo a\n', () => 'echo a'],
    [
      'a marker behind a continuation',
      'a.c',
      '// a \\\f\nrun();\n',
      (token) => `// a \\\f\n// ${mark(token)}\nrun();\n`,
    ],
    [
      'a marker before a coding line',
      'a.py',
      '#!/usr/bin/python\n# coding: utf-7\nx\n',
      (token) => `#!/usr/bin/python\n# ${mark(token)}\n# coding: utf-7\nx\n`,
    ],
    ['two markers', 'a.sh', 'echo a\n', (token) => `# ${mark(token)}\necho a\n# ${mark(token)}\n`],
  ])('does not cover content with %s', async (_, path, content, written) => {
    const blocked = await block(hook, { path, content: `${content}# ${randomUUID()}\n` })
    const { token } = (await approve(guard, blocked.id)).body
    const spent = blocked.content.replace(content, () => written(token))
    for (const request of [{ content: spent }, { content: spent, token }]) {
      const { status, body } = await spend(hook, { ...request, path })
      expect([status, body['approved']]).toEqual([409, undefined])
      expect(await hook.send('POST', '/approvals/check', { content: spent, path })).toMatchObject({
        body: { approved: false },
      })
    }
    expect((await spend(hook, blocked)).status).toBe(200)
  })

  it('is checked and spent with its own marker in JSON', async () => {
    const blocked = await block(hook, { path: 'a.json', content: `{"id":"${randomUUID()}"}\n` })
    const { token } = (await approve(guard, blocked.id)).body
    const content = blocked.content.replace('}', `, "_approval_token": "${token}"}`)
    const checked = await hook.send('POST', '/approvals/check', { content, path: blocked.path })
    expect(checked.body).toMatchObject({ approved: true, changeId: blocked.id })
    expect((await spend(hook, { content, path: 'b.json' })).status).toBe(409)
    expect((await spend(hook, { content, path: blocked.path })).status).toBe(200)
    expect(await spend(hook, { content, path: blocked.path })).toMatchObject({
      body: { error: 'already_used' },
    })
  })

  it('does not cover content whose marker is not a comment in its file type', async () => {
    const blocked = await block(hook, { path: 'src/app.c' })
    const { token } = (await approve(guard, blocked.id)).body
    const content = `-- TEST-GUARD-APPROVED: ${token}\n${blocked.content}`
    const { path } = blocked
    expect(await spend(hook, { content, path })).toMatchObject({ body: { error: 'not_approved' } })
    expect(await spend(hook, { content, path, token })).toMatchObject({ body: { error: 'content_mismatch' } })
    expect((await spend(hook, { ...blocked, token })).status).toBe(200)
  })

  it('is bound to its content and its path', async () => {
    const one = await block(hook)
    const other = await block(hook)
    const { token } = (await approve(guard, one.id)).body
    for (const wrong of [
      { content: other.content, path: one.path, token },
      { content: `${one.content}evil()\n`, path: one.path, token },
      { content: one.content, path: 'src/elsewhere.ts', token },
      { content: one.content, path: 'src/elsewhere.ts' },
    ]) {
      expect(await spend(hook, wrong)).toMatchObject({ status: 409, body: { error: 'content_mismatch' } })
    }
    expect((await spend(hook, { ...one, token })).status).toBe(200)
  })

  it('does not work once expired, and can be given again', async () => {
    const blocked = await block(hook)
    const { token } = (await approve(guard, blocked.id, { ttlSeconds: 1 })).body
    await expire(blocked.id)
    for (const request of [blocked, { ...blocked, token }])
      expect(await spend(hook, request)).toMatchObject({ status: 409, body: { error: 'expired' } })
    expect((await hook.send('GET', `/approvals/changes/${blocked.id}`)).body['status']).toBe('expired')
    const again = await block(hook, blocked)
    expect([again.id, again.body['status']]).toEqual([blocked.id, 'blocked'])
    const fresh = (await approve(guard, blocked.id)).body.token
    expect((await spend(hook, { ...blocked, token })).body.error).toBe('not_approved')
    expect((await spend(hook, { ...blocked, token: fresh })).status).toBe(200)
  })

  it('does not work once the change is rejected', async () => {
    const blocked = await block(hook)
    const { token } = (await approve(guard, blocked.id)).body
    expect(await reject(guard, blocked.id, { suggestion: 'Assert an error' })).toEqual({
      status: 200,
      body: {
        id: blocked.id,
        decision: 'rejected',
        education: 'Say what the code should do',
        suggestion: 'Assert an error',
      },
    })
    for (const request of [blocked, { ...blocked, token }])
      expect(await spend(hook, request)).toMatchObject({ status: 409, body: { error: 'rejected' } })
  })

  it('does not work if the key that gave it or the key that uses it is revoked', async () => {
    const leaving = await callerWith(registry, ['approve'], 'Leaving')
    const gone = await callerWith(registry, ['hook'])
    const blocked = await block(hook)
    const { token } = (await approve(leaving, blocked.id)).body
    const admin = await callerWith(registry, ['admin'])
    await admin.send('DELETE', `/keys/${gone.id}`)
    expect((await spend(gone, { ...blocked, token })).status).toBe(401)
    await admin.send('DELETE', `/keys/${leaving.id}`)
    expect(await spend(hook, { ...blocked, token })).toMatchObject({
      status: 409,
      body: { error: 'not_approved' },
    })
    const { body } = await hook.send('GET', `/approvals/check?hash=${blocked.contentHash}`)
    expect(body['approved']).toBe(false)
    expect((await block(hook, blocked)).body['status']).toBe('blocked')
    expect((await approve(guard, blocked.id)).status).toBe(200)
    expect((await spend(hook, { content: blocked.content, path: blocked.path })).status).toBe(200)
  })

  it.each([
    ['truncated', (token: string) => token.slice(0, -1)],
    ['with a changed letter', (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')],
    ['with a homoglyph', (token: string) => token.replace('E', '\u0415')],
    ['in lower case', (token: string) => token.toLowerCase()],
    ['with a space', (token: string) => `${token} `],
    ['empty but for its shape', () => 'TEST-GUARD-20250104-12345678-abc123'],
  ])('is not given by a token %s', async (_how, changed) => {
    const caller = await callerWith(registry, ['hook'])
    const blocked = await block(hook)
    const { token } = (await approve(guard, blocked.id)).body
    expect(await spend(caller, { ...blocked, token: changed(token) })).toMatchObject({
      status: 409,
      body: { error: 'not_approved' },
    })
    expect((await spend(caller, { ...blocked, token })).status).toBe(200)
  })

  it('cannot be guessed: wrong tokens are rate-limited and recorded', async () => {
    const guesser = await callerWith(registry, ['hook'])
    const blocked = await block(hook)
    const { token } = (await approve(guard, blocked.id)).body
    const statuses: number[] = []
    for (let guess = 0; guess < 30; guess++) {
      const wrong = token.slice(0, -4) + guess.toString(16).padStart(4, '0')
      statuses.push((await spend(guesser, { ...blocked, token: wrong })).status)
    }
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 409))
    expect(statuses.slice(-5)).toEqual([429, 429, 429, 429, 429])
    expect((await spend(guesser, { ...blocked, token })).status).toBe(429)
    const events = await registry.db.orm.select().from(auditEvent).where(eq(auditEvent.actor, guesser.id))
    expect(events.map(({ action }) => action)).toContain('change.guess_limited')
  })

  it('is given once, and not after a rejection or after use', async () => {
    const blocked = await block(hook)
    const { token } = (await approve(guard, blocked.id)).body
    expect(await approve(guard, blocked.id)).toMatchObject({
      status: 409,
      body: { error: 'already_decided' },
    })
    await spend(hook, { ...blocked, token })
    for (const decide of [approve, reject])
      expect(await decide(guard, blocked.id)).toMatchObject({ status: 409, body: { status: 'used' } })
    const rejected = await block(hook)
    await reject(guard, rejected.id)
    for (const decide of [approve, reject])
      expect(await decide(guard, rejected.id)).toMatchObject({ status: 409, body: { status: 'rejected' } })
    expect((await approve(guard, 'chg_0000000000000000')).status).toBe(404)
  })

  it('is given by exactly one of many concurrent decisions', async () => {
    const { id } = await block(hook)
    const decisions = await Promise.all(Array.from({ length: 20 }, () => approve(guard, id)))
    expect(decisions.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it.each([
    [{ reason: '' }, 422],
    [{ ttlSeconds: 0 }, 422],
    [{ ttlSeconds: 86_401 }, 422],
    [{ pattern: '^x$' }, 403],
  ])('is refused for %j', async (request, status) => {
    const { id } = await block(hook)
    expect((await approve(guard, id, request)).status).toBe(status)
  })
})

describe('who may decide', () => {
  it.each([
    [['hook'], undefined],
    [['admin'], undefined],
    [['pattern', 'publish:*'], undefined],
  ])('is not a key with %j', async (scopes, specialist) => {
    const { id } = await block(hook)
    const other = await callerWith(registry, scopes, specialist)
    for (const decide of [approve, reject])
      expect(await decide(other, id)).toMatchObject({
        status: 403,
        body: { error: 'forbidden', scope: 'approve' },
      })
    expect(
      (await send(`${registry.url}/approvals/changes/${id}/approve`, undefined, { body: {} })).status,
    ).toBe(401)
  })

  it("is the key's specialist, regardless of the name in the request", async () => {
    const { id } = await block(hook)
    for (const approver of ['critical-engineer', 'Test Gu\u0430rd', 'testguard']) {
      expect(await approve(guard, id, { approver })).toMatchObject({
        status: 403,
        body: { error: 'approver_mismatch' },
      })
    }
    expect((await eventsOf(id)).filter(({ action }) => action === 'change.approver_mismatch')).toHaveLength(3)
    expect((await approve(guard, id, { approver: 'test-guard' })).status).toBe(200)
  })

  it.each([
    ['the key that asked', async (both: Caller) => ({ asker: both, approver: both, request: {} })],
    [
      'a key that asked as the same agent',
      async (both: Caller) => {
        await block(both, { agent: 'twin' })
        return { asker: hook, approver: both, request: {}, asked: { agent: 'twin' } }
      },
    ],
    [
      'a key that asked in the same session',
      async (both: Caller) => {
        await block(both, { session: 'twin-session' })
        return { asker: hook, approver: both, request: {}, asked: { session: 'twin-session' } }
      },
    ],
    [
      'a key that names the same agent',
      async () => ({
        asker: hook,
        approver: guard,
        request: { agent: 'mirror' },
        asked: { agent: 'mirror' },
      }),
    ],
    [
      'a key that asked as the same agent, spelled differently',
      async (both: Caller) => {
        await block(both, { agent: ' Sp\u{ff45}lled' })
        return { asker: hook, approver: both, request: {}, asked: { agent: 'spelled' } }
      },
    ],
    [
      'a key that names the same session, spelled differently',
      async () => ({ asker: hook, approver: guard, request: { session: 'S10 ' }, asked: { session: 's10' } }),
    ],
    [
      'a key that names the same session',
      async () => ({ asker: hook, approver: guard, request: { session: 's9' }, asked: { session: 's9' } }),
    ],
  ])('is not %s, and the attempt is recorded', async (_who, arrange) => {
    const both = await callerWith(registry, ['hook', 'approve'], 'Both')
    const {
      asker,
      approver,
      request,
      asked = {},
    } = (await arrange(both)) as {
      asker: Caller
      approver: Caller
      request: Record<string, string>
      asked?: Record<string, string>
    }
    const { id } = await block(asker, asked)
    expect(await approve(approver, id, request)).toMatchObject({
      status: 403,
      body: { error: 'self_approval' },
    })
    expect((await eventsOf(id)).at(-1)).toMatchObject({ action: 'change.self_approval', actor: approver.id })
    expect((await hook.send('GET', `/approvals/changes/${id}`)).body['status']).toBe('blocked')
  })

  const puppetWith = (key: unknown): Caller => ({
    ...guard,
    send: (method, path, body) => send(`${registry.url}${path}`, String(key), { method, body }),
  })

  it('is not a key that the asking key has since made or rotated', async () => {
    const boss = await callerWith(registry, ['admin'])
    const deputy = await callerWith(registry, ['admin'])
    const request = { name: 'puppet', scopes: ['approve'], specialist: 'Puppet' }
    const before = await boss.send('POST', '/keys', request)
    const blocked = await block(boss)
    const made = await boss.send('POST', '/keys', request)
    const rotated = await boss.send(
      'POST',
      `/keys/${(await callerWith(registry, ['approve'], 'Victim')).id}/rotate`,
    )
    const owned = puppetWith((await boss.send('POST', `/keys/${deputy.id}/rotate`)).body['key'])
    const far = await owned.send('POST', '/keys', request)
    for (const { body } of [made, rotated, far])
      expect((await approve(puppetWith(body['key']), blocked.id)).body.error).toBe('self_approval')
    expect((await approve(puppetWith(before.body['key']), blocked.id)).status).toBe(200)
  })

  describe('made by the maker of the key that asked', () => {
    const approver = { name: 'approver', scopes: ['approve', 'pattern'], specialist: 'Puppet' }
    const made = async (maker: Caller, request: object = approver) => {
      const { id, key } = (await maker.send('POST', '/keys', request)).body as unknown as Record<
        'id' | 'key',
        string
      >
      return { ...puppetWith(key), id, key }
    }
    const makers = async () => {
      const boss = await callerWith(registry, ['admin'])
      const asker = await made(boss, { name: 'hook', scopes: ['hook'] })
      return { boss, asker }
    }
    const rotated = async (by: Caller, id: string) =>
      puppetWith((await by.send('POST', `/keys/${id}/rotate`)).body['key'])

    it('is refused if it was made or rotated after the request, directly or through other keys', async () => {
      const { boss, asker } = await makers()
      const [before, old] = [await made(boss), await made(boss)]
      const deputy = await made(boss, { name: 'deputy', scopes: ['admin'] })
      const { id } = await block(asker)
      const between = await made(deputy, { name: 'between', scopes: ['admin'] })
      const late = [await made(boss), await made(between), await made(deputy), await rotated(boss, old.id)]
      for (const one of late) {
        const { status, body } = await approve(one, id)
        expect([status, body.error]).toEqual([403, 'self_approval'])
        expect(body.message).toContain('made after the request')
      }
      expect((await approve(before, id)).status).toBe(200)
    })

    it('is refused even if the asker was made through another key, or since rotated by somebody else', async () => {
      const boss = await callerWith(registry, ['admin'])
      const stranger = await callerWith(registry, ['admin'])
      const deputy = await made(boss, { name: 'deputy', scopes: ['admin'] })
      const asker = await made(deputy, { name: 'hook', scopes: ['hook'] })
      const { id } = await block(asker)
      await rotated(stranger, asker.id)
      expect((await approve(await made(boss), id)).body.error).toBe('self_approval')
      expect((await approve(await made(stranger), id)).body.error).toBe('self_approval')
      expect((await approve(await callerWith(registry, ['approve'], 'Other'), id)).status).toBe(200)
    })

    it('is refused for a second request of the same change', async () => {
      const { boss, asker } = await makers()
      const { id, content } = await block(asker)
      await reject(guard, id)
      const late = await made(boss)
      const again = await block(hook, { content })
      expect((await approve(late, again.id)).body.error).toBe('self_approval')
    })

    it('adds no approve pattern and removes no block pattern', async () => {
      const { boss, asker } = await makers()
      const before = await made(boss)
      await block(asker)
      const late = await made(boss)
      const word = `word${randomUUID().slice(0, 8)}`
      const request = { type: 'any', pattern: `^${word}$`, reason: 'Known', example: word }
      const blocking = await late.send('POST', '/approvals/patterns', { ...request, kind: 'block' })
      expect(blocking.status).toBe(201)
      const adding = await late.send('POST', '/approvals/patterns', { ...request, kind: 'approve' })
      const removing = await late.send('DELETE', `/approvals/patterns/${blocking.body.id}`)
      expect([adding.body.error, removing.body.error]).toEqual(['self_approval', 'self_approval'])
      expect((await before.send('POST', '/approvals/patterns', { ...request, kind: 'approve' })).status).toBe(
        201,
      )
    })

    it('may decide if its maker is an operator, unless that operator asked', async () => {
      const { boss, asker } = await makers()
      const operators = { 'approvals.json': JSON.stringify({ operators: [boss.id] }) }
      const { databaseUrl } = registry
      const trusting = await startRegistry({ databaseUrl, configFiles: operators })
      const there = (caller: Caller & { key: string }): Caller => ({
        ...caller,
        send: (method, path, body) => send(`${trusting.url}${path}`, caller.key, { method, body }),
      })
      const deputy = await made(boss, { name: 'deputy', scopes: ['admin'] })
      const [one, other] = [await block(asker), await block(asker)]
      expect((await approve(await made(boss), one.id)).body.error).toBe('self_approval')
      expect((await approve(there(await made(boss)), one.id)).status).toBe(200)
      expect((await approve(there(await made(deputy)), other.id)).status).toBe(200)
      const own = await block(boss)
      const later = there(await made(boss))
      expect((await approve(later, own.id)).body.error).toBe('self_approval')
      await trusting.stop()
    })
  })

  it.each([
    ['Cyrillic letters', 'сlаudе'],
    ['an invisible character', 'cl\u200baude'],
    ['mathematical letters', '𝐜𝐥𝐚𝐮𝐝𝐞'],
    ['a capital I', 'cIaude'],
    ['a Hangul filler', 'claude\u3164'],
  ])('is not one that wrote the same agent or session with %s', async (_, spelled) => {
    const both = await callerWith(registry, ['hook', 'approve'], 'Both')
    const asked = { agent: `${spelled}-agent`, session: `${spelled}-session` }
    const { id } = await block(hook, { agent: 'claude-agent' })
    const other = await block(hook, { session: 'claude-session' })
    expect((await approve(guard, id, { agent: asked.agent })).body.error).toBe('self_approval')
    expect((await approve(guard, other.id, { session: asked.session })).body.error).toBe('self_approval')
    await block(both, asked)
    expect((await approve(both, id)).body.error).toBe('self_approval')
    expect((await approve(both, other.id)).body.error).toBe('self_approval')
  })

  it('is not a key whose own change with the same content was rejected', async () => {
    const both = await callerWith(registry, ['hook', 'approve'], 'Both')
    const { id, content } = await block(both)
    await reject(guard, id)
    const again = await block(hook, { content, agent: 'helper' })
    expect(again.id).not.toBe(id)
    expect((await approve(both, again.id)).body.error).toBe('self_approval')
    expect((await approve(guard, again.id)).status).toBe(200)
  })

  it('is not a key that uses its own approval, even for a change of another key', async () => {
    const both = await callerWith(registry, ['hook', 'approve'], 'Both')
    const blocked = await block(hook)
    const { token } = (await approve(both, blocked.id)).body
    for (const request of [blocked, { ...blocked, token }]) {
      const { status, body } = await spend(both, request)
      expect([status, body.error]).toEqual([409, 'not_approved'])
      expect(body.message).toContain('it was approved with this same key')
    }
    expect(await eventsOf(blocked.contentHash)).toContainEqual(
      expect.objectContaining({ action: 'change.self_approval', actor: both.id }),
    )
    expect((await spend(hook, blocked)).status).toBe(200)
  })

  it('is not a key that asked for the same content later', async () => {
    const both = await callerWith(registry, ['hook', 'approve'], 'Both')
    const shared = await block(hook)
    await block(both, shared)
    expect((await approve(both, shared.id)).body.error).toBe('self_approval')
  })
})

describe('a check', () => {
  it('reports whether content is approved, by hash and by content, and spends nothing', async () => {
    const blocked = await block(hook)
    const check = async () => [
      (await hook.send('GET', `/approvals/check?hash=${blocked.contentHash}`)).body,
      (await hook.send('POST', '/approvals/check', { content: blocked.content, path: blocked.path })).body,
    ]
    for (const body of await check())
      expect(body).toMatchObject({ approved: false, via: null, status: 'blocked', changeId: blocked.id })
    await approve(guard, blocked.id)
    for (const body of [...(await check()), ...(await check())])
      expect(body).toMatchObject({
        approved: true,
        via: 'token',
        status: 'approved',
        specialist: 'Test Guard',
      })
    expect((await spend(hook, blocked)).status).toBe(200)
    for (const body of await check()) expect(body).toMatchObject({ approved: false, status: 'used' })
    const events = await eventsOf(blocked.contentHash)
    expect(events.map(({ action }) => action)).toEqual(Array.from({ length: 4 }, () => 'change.check_failed'))
  })

  it('covers only its path if it names one', async () => {
    const blocked = await block(hook)
    await approve(guard, blocked.id)
    const { body } = await hook.send('GET', `/approvals/check?hash=${blocked.contentHash}&path=src/else.ts`)
    expect(body).toMatchObject({ approved: false, status: null })
  })

  it.each(['', '?hash=abc', '?hash=sha256-zz', `?hash=${'0'.repeat(64)}&x=1`])(
    'is refused for %j',
    async (query) => {
      expect((await hook.send('GET', `/approvals/check${query}`)).status).toBe(400)
    },
  )
})

describe('callers', () => {
  it.each([
    ['POST', '/approvals/changes', { tool: 'Write', path: 'a', content: 'b' }],
    ['GET', '/approvals/changes', undefined],
    ['GET', '/approvals/changes/chg_1', undefined],
    ['GET', `/approvals/check?hash=${'0'.repeat(64)}`, undefined],
    ['POST', '/approvals/check', { content: 'a' }],
    ['POST', '/approvals/spend', { content: 'a', path: 'b' }],
    ['GET', '/approvals/patterns', undefined],
    ['DELETE', '/approvals/patterns/pat_1', undefined],
  ])('need a key with the right scope for %s %s', async (method, path, body) => {
    expect((await send(`${registry.url}${path}`, undefined, { method, body })).status).toBe(401)
    const other = await callerWith(registry, ['publish:*', 'read:*'])
    expect(await other.send(method, path, body)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  })
})
