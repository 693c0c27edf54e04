import { createHash } from 'node:crypto'
import { contentHashOf } from '@pml/core/approvals'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, block, callerWith, reject, spend, type Caller } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

let old: TestRegistry
let fresh: TestRegistry
let hook: Caller
let guard: Caller

beforeAll(async () => {
  old = await startRegistry()
  fresh = await startRegistry()
  hook = await callerWith(old, ['hook'])
  guard = await callerWith(old, ['approve', 'pattern'], 'guard')
})
afterAll(async () => {
  await fresh.stop()
  await old.stop()
})

const soonIso = () => new Date(Date.now() + 200_000).toISOString()
const token = 'TESTGUARD-20250104-12345678-abc123'
const content = "expect(serverInit()).rejects.toThrow('Server not configured');\n"

/** A registry file in the format of the original hooks. */
function seedFile(expires: string) {
  return {
    version: '1.0',
    one_time_approvals: {
      [token]: {
        content_hash: contentHashOf(content).replace('-', ':'),
        blocked_file: '/tmp/blocked-test-1234567890',
        expires,
        created: '2025-01-04T12:00:00Z',
        used: false,
        approved_by: 'testguard',
        reason: 'Proper TDD red phase - precise assertion for missing functionality',
      },
    },
    permanent_patterns: {
      tdd_red_phase_throw: {
        pattern: 'expect\\(.*\\)\\.rejects\\.toThrow\\([\'"].*[\'"]\\)',
        type: 'test',
        auto_approve: true,
        added_by: 'testguard',
        added_date: '2025-01-04',
        reason: 'Standard TDD pattern - expecting specific error',
        usage_count: 7,
      },
      not_automatic: {
        pattern: '^careful\\(\\)$',
        type: 'test',
        auto_approve: false,
        added_by: 'x',
        added_date: '2025-01-04',
        reason: 'ask',
      },
      too_wide: {
        pattern: '.*',
        type: 'test',
        added_by: 'x',
        added_date: '2025-01-04',
        reason: 'lazy',
      },
    },
    blocked_patterns: {
      meaningless_red: {
        pattern: 'expect\\(true\\)\\.toBe\\(false\\)',
        type: 'test',
        reason: 'Meaningless placeholder - provides no specification',
        added_by: 'testguard',
        added_date: '2025-01-04',
      },
    },
    audit_log: [
      {
        timestamp: '2025-01-04T12:00:00Z',
        action: 'approved',
        specialist: 'testguard',
        token,
        blocked_file: '/tmp/blocked-test-1234567890',
        reason: 'Proper TDD red phase assertion',
        outcome: 'pending',
      },
    ],
  }
}

describe('the registry file', () => {
  it('is imported: valid entries are stored, the others are reported with the problem', async () => {
    const admin = await callerWith(fresh, ['admin'])
    const other = await callerWith(fresh, ['hook'])
    expect(await admin.send('POST', '/approvals/import', seedFile(soonIso()))).toEqual({
      status: 200,
      body: {
        approvals: { imported: 1, skipped: 0 },
        patterns: { imported: 2, refused: [{ id: 'too_wide', problem: expect.stringContaining('Cannot') }] },
        auditEvents: 1,
      },
    })
    const path = '/tmp/blocked-test-1234567890'
    expect(await spend(other, { content, path, token })).toMatchObject({
      status: 200,
      body: { via: 'token' },
    })
    expect((await spend(other, { content, path, token })).body.error).toBe('already_used')
    const { body } = await other.send('GET', '/approvals/patterns')
    expect(body['patterns']).toMatchObject([{ usageCount: 7, specialist: 'testguard' }, { kind: 'block' }])
    const bad = { content: 'expect(true).toBe(false)\n', path: 'a.test.ts' }
    expect((await spend(other, bad)).body.error).toBe('blocked_pattern')
  })

  it.each([
    ['expired', '2025-01-04T12:05:00Z'],
    ['good for more than a day', '2099-01-01T00:00:00Z'],
  ])('brings in no approval that is %s', async (_what, expires) => {
    const registry = await startRegistry()
    const admin = await callerWith(registry, ['admin'])
    const { body } = await admin.send('POST', '/approvals/import', seedFile(expires))
    expect(body['approvals']).toEqual({ imported: 0, skipped: 1 })
    await registry.stop()
  })

  it('is exported and imported elsewhere with open approvals and without usable tokens', async () => {
    const open = await block(hook)
    const given = (await approve(guard, open.id)).body.token
    const used = await block(hook)
    await approve(guard, used.id)
    await spend(hook, used)
    const rejected = await block(hook)
    await reject(guard, rejected.id)
    await guard.send('POST', '/approvals/patterns', {
      kind: 'block',
      type: 'any',
      pattern: 'eval\\(secret',
      reason: 'never',
      example: 'eval(secret)',
    })
    const { status, body } = await guard.send('GET', '/approvals/export')
    expect(status).toBe(200)
    expect(JSON.stringify(body)).not.toContain(given)
    expect(body).toMatchObject({
      version: '1.0',
      one_time_approvals: {
        [open.id]: {
          content_hash: open.contentHash.replace('-', ':'),
          used: false,
          approved_by: 'guard',
          token_sha256: createHash('sha256').update(given).digest('hex'),
        },
        [used.id]: { used: true },
      },
    })
    expect(Object.values(body['blocked_patterns'] as object)).toMatchObject([{ pattern: 'eval\\(secret' }])
    expect(Object.keys(body['one_time_approvals'] as object)).not.toContain(rejected.id)
    const log = body['audit_log'] as { action: string }[]
    expect(log.map(({ action }) => action)).toEqual(['approved', 'approved', 'used', 'rejected'])
    const admin = await callerWith(fresh, ['admin'])
    const elsewhere = await callerWith(fresh, ['hook'])
    expect((await admin.send('POST', '/approvals/import', body)).body).toMatchObject({
      approvals: { imported: 1, skipped: 1 },
      patterns: { imported: 1, refused: [] },
    })
    expect((await spend(elsewhere, { ...open, token: given })).status).toBe(200)
    expect((await admin.send('POST', '/approvals/import', body)).body).toMatchObject({
      patterns: { imported: 0, refused: [{ problem: 'it already exists' }] },
    })
  })

  it('is exported and imported with tools', async () => {
    const admin = await callerWith(fresh, ['admin'])
    const reviewer = await callerWith(fresh, ['approve'], 'reviewer')
    const { status, body } = await reviewer.send('POST', '/tools/registry_export', {})
    expect([status, body['version']]).toEqual([200, '1.0'])
    const content = JSON.stringify(body)
    expect((await admin.send('POST', '/tools/registry_import', { content })).body).toMatchObject({
      approvals: { imported: 0 },
    })
    expect((await admin.send('POST', '/tools/registry_import', { content: '{' })).status).toBe(400)
    expect((await reviewer.send('POST', '/tools/registry_import', { content })).status).toBe(403)
  })

  it.each([
    [{}],
    [{ version: '2.0' }],
    [{ version: '1.0', one_time_approvals: { x: { used: 'no' } } }],
    [{ version: '1.0', audit_log: {} }],
  ])('is refused as a whole when it is malformed: %j', async (file) => {
    const admin = await callerWith(fresh, ['admin'])
    expect((await admin.send('POST', '/approvals/import', file)).status).toBe(422)
  })

  it('requires the scope', async () => {
    expect((await guard.send('POST', '/approvals/import', seedFile(soonIso()))).status).toBe(403)
    expect((await hook.send('GET', '/approvals/export')).status).toBe(403)
  })
})
