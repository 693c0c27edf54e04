import { contentHashOf } from '@pml/core/approvals'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, block, callerWith, newContent, spend, type Caller } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { change } from '../db/schema.ts'

let registry: TestRegistry
let hook: Caller
let guard: Caller
let boss: Caller

beforeAll(async () => {
  registry = await startRegistry()
  hook = await callerWith(registry, ['hook'])
  guard = await callerWith(registry, ['approve', 'pattern'], 'Test Guard')
  boss = await callerWith(registry, ['admin'])
})
afterAll(() => registry.stop())

const path = 'src/imported.ts'

async function importApproval(content: string, request: Record<string, unknown> = {}): Promise<void> {
  const now = new Date()
  const approval = {
    content_hash: contentHashOf(content).replace('-', ':'),
    blocked_file: path,
    expires: new Date(now.getTime() + 60_000).toISOString(),
    created: now.toISOString(),
    used: false,
    approved_by: 'testguard',
    reason: 'It is precise',
    ...request,
  }
  const token = `TESTGUARD-20261117-0a1b2c3d-${contentHashOf(content).slice(-32)}`
  const file = { version: '1.0', one_time_approvals: { [token]: approval } }
  expect(await boss.send('POST', '/approvals/import', file)).toMatchObject({
    status: 200,
    body: { approvals: { imported: 1, skipped: 0 } },
  })
}

it('writes an imported log to the audit log without its tokens', async () => {
  const event = { timestamp: new Date().toISOString(), action: 'approved', blocked_file: 'src/logged.ts' }
  const token = 'TESTGUARD-20261117-0a1b2c3d-00112233445566778899'
  const file = { version: '1.0', audit_log: [{ ...event, token }] }
  expect((await boss.send('POST', '/approvals/import', file)).status).toBe(200)
  const { body } = await guard.send('GET', '/audit?action=approval.imported_event')
  expect(body['events']).toMatchObject([{ action: 'approval.imported_event', detail: event }])
  expect(JSON.stringify(body)).not.toContain(token)
})

it('refuses a file with an out-of-range time, and names its position', async () => {
  const approval = {
    content_hash: 'a'.repeat(64),
    blocked_file: path,
    expires: '0000-01-01T00:00:00Z',
    created: '2026-01-01T00:00:00Z',
    used: false,
    approved_by: 'testguard',
    reason: 'It is precise',
  }
  const file = { version: '1.0', one_time_approvals: { old: approval } }
  const { status, body } = await boss.send('POST', '/approvals/import', file)
  expect([status, body.error]).toEqual([422, 'invalid_body'])
  expect(body.message).toContain('one_time_approvals.old.expires: expected a time after 1970')
})

describe('concurrent imports', () => {
  const approvalOf = (content: string) => ({
    content_hash: contentHashOf(content).replace('-', ':'),
    blocked_file: path,
    expires: new Date(Date.now() + 600_000).toISOString(),
    created: new Date().toISOString(),
    used: false,
    approved_by: 'testguard',
    reason: 'It is precise',
  })
  const patternOf = (text: string) => ({
    pattern: `^${text}$`,
    type: 'any',
    reason: 'Known',
    example: text,
    added_by: 'testguard',
    added_date: new Date().toISOString(),
    auto_approve: true,
    usage_count: 0,
  })
  const fileOf = (words: readonly string[]) => ({
    version: '1.0',
    one_time_approvals: Object.fromEntries(
      words.map((word) => [`T-20261117-00000000-${word}`, approvalOf(word)]),
    ),
    permanent_patterns: Object.fromEntries(words.map((word) => [word, patternOf(word)])),
  })

  it('of the same entries in different orders all succeed while patterns are added', async () => {
    for (let round = 0; round < 10; round++) {
      const words = Array.from({ length: 25 }, (_, at) => `word${round}x${at}x${newContent().length}`)
      const imports = [words, words.toReversed(), words, words.toReversed()].map((order) =>
        boss.send('POST', '/approvals/import', fileOf(order)),
      )
      const additions = words.toReversed().map((word) => {
        const { pattern, reason, example } = patternOf(word)
        return boss.send('POST', '/approvals/patterns', {
          kind: 'approve',
          type: 'any',
          pattern,
          reason,
          example,
        })
      })
      const results = await Promise.all(imports)
      expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const added = await Promise.all(additions)
      expect(added.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
    }
  }, 120_000)
})

describe('an imported approval', () => {
  it('allows its content once', async () => {
    const content = newContent()
    await importApproval(content)
    expect((await spend(hook, { content, path })).status).toBe(200)
    expect((await spend(hook, { content, path })).body.error).toBe('already_used')
  })

  it('loses to a block pattern, even after its hash was checked', async () => {
    const content = newContent()
    const pattern = content.trim().replaceAll(/\W/g, String.raw`\$&`)
    const request = { kind: 'block', type: 'any', pattern, reason: 'Never', example: content }
    expect((await guard.send('POST', '/approvals/patterns', request)).status).toBe(201)
    await importApproval(content)
    await hook.send('GET', `/approvals/check?hash=${contentHashOf(content)}`)
    expect((await spend(hook, { content, path })).body.error).toBe('blocked_pattern')
  })

  it('that expired is approved again only after its content was sent', async () => {
    const content = newContent()
    await importApproval(content)
    const ofContent = eq(change.contentHash, contentHashOf(content))
    const [row] = await registry.db.orm
      .update(change)
      .set({ expiresAt: sql`clock_timestamp() - interval '1 second'` })
      .where(ofContent)
      .returning({ id: change.id })
    const unseen = await approve(guard, row?.id ?? '')
    expect(unseen).toMatchObject({ status: 409, body: { error: 'not_approved' } })
    expect(unseen.body.message).toContain('its content was never sent')
    const blocked = await block(hook, { content, path })
    expect(blocked.id).toBe(row?.id)
    const { body } = await guard.send('GET', `/approvals/changes/${blocked.id}`)
    expect(body).toMatchObject({ content, warnings: [], sizeBytes: content.length })
    expect((await approve(guard, blocked.id)).status).toBe(200)
    expect((await spend(hook, { content, path })).status).toBe(200)
  })
})
