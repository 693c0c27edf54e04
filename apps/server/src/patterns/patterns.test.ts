import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, block, callerWith, reject, spend, type Caller } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { auditEvent } from '../db/schema.ts'

let registry: TestRegistry
let replica: TestRegistry
let hook: Caller
let elsewhere: Caller
let guard: Caller
let keeper: Caller

beforeAll(async () => {
  registry = await startRegistry()
  replica = await startRegistry({ databaseUrl: registry.databaseUrl })
  hook = await callerWith(registry, ['hook'])
  elsewhere = await callerWith(replica, ['hook'])
  guard = await callerWith(registry, ['approve', 'pattern'], 'guard')
  keeper = await callerWith(registry, ['pattern'], 'keeper')
})
afterAll(async () => {
  await replica.stop()
  await registry.stop()
})

let count = 0
const word = () => `word${++count}x`

function add(caller: Caller, request: Record<string, unknown>) {
  return caller.send('POST', '/approvals/patterns', {
    kind: 'approve',
    type: 'any',
    reason: 'It is known to be good',
    ...request,
  })
}

const check = async (caller: Caller, content: string, path = 'src/a.ts') =>
  (await caller.send('POST', '/approvals/check', { content, path })).body

describe('an approve pattern', () => {
  it('does not allow code between the lines that it covers', async () => {
    const name = word()
    const added = await add(keeper, { pattern: `^# ${name}: .*$`, example: `# ${name}: x` })
    expect(added.status).toBe(201)
    expect((await check(hook, `# ${name}: x\n`))['approved']).toBe(true)
    expect((await check(hook, `# ${name}: x\r\n# ${name}: y\r\n`))['approved']).toBe(true)
    for (const end of ['\r', '\v', '\f', '\u{85}', '\u{2028}', '\u{2029}', '\n', '\r\n', '\u{feff}'])
      expect((await check(hook, `# ${name}: x${end}print("EVIL")\n`))['approved']).toBe(false)
    expect((await check(hook, `\u{feff}# ${name}: x; touch X\n`))['approved']).toBe(false)
    const spanning = { pattern: `^import "${name}[^;]+;$`, example: `import "${name}";` }
    expect(await add(keeper, spanning)).toMatchObject({
      status: 422,
      body: { error: 'invalid_pattern', message: expect.stringContaining('it can match a line end') },
    })
  })

  it('allows what it covers every time, counts it, and applies on every replica immediately', async () => {
    const name = word()
    const pattern = `^expect\\(${name}\\(\\)\\)\\.rejects\\.toThrow\\('[^'\\n]*'\\);?$`
    const example = `expect(${name}()).rejects.toThrow('x')`
    const content = `expect(${name}()).rejects.toThrow('not there');\n\n`
    expect((await check(elsewhere, content))['approved']).toBe(false)
    const added = await add(keeper, { pattern, example })
    expect(added).toMatchObject({
      status: 201,
      body: { kind: 'approve', pattern, specialist: 'keeper', usageCount: 0, warnings: [] },
    })
    for (const caller of [elsewhere, hook]) {
      expect(await check(caller, content)).toMatchObject({
        approved: true,
        via: 'pattern',
        pattern: added.body.id,
      })
      expect(await spend(caller, { content, path: 'src/a.ts' })).toMatchObject({
        status: 200,
        body: { approved: true, via: 'pattern', pattern: added.body.id, changeId: null },
      })
    }
    const { body } = await hook.send('GET', '/approvals/patterns')
    const shown = (body['patterns'] as { id: string }[]).find(({ id }) => id === added.body.id)
    expect(shown).toMatchObject({ usageCount: 2, lastUsedAt: expect.any(String) })
    const events = await registry.db.orm
      .select()
      .from(auditEvent)
      .where(eq(auditEvent.subject, added.body.id))
      .orderBy(auditEvent.id)
    expect(events.map(({ action }) => action)).toEqual(['pattern.add', 'pattern.use', 'pattern.use'])
  })

  it('does not allow content with one line that does not match', async () => {
    const name = word()
    await add(keeper, { pattern: `^${name}\\(\\)$`, example: `${name}()` })
    expect((await check(hook, `${name}()\n`))['approved']).toBe(true)
    for (const content of [`${name}()\nsteal()\n`, `steal()\n${name}()\n`, `steal() // ${name}()\n`])
      expect((await check(hook, content))['approved']).toBe(false)
  })

  it('is returned with warnings about an unknown type and a missing anchor', async () => {
    const name = word()
    const { body } = await add(keeper, { pattern: `${name}\\(\\)`, example: `${name}()`, type: 'strange' })
    expect(body['warnings']).toEqual([
      expect.stringContaining("no type 'strange'"),
      expect.stringContaining('not anchored'),
    ])
  })

  it('no longer applies once it is removed', async () => {
    const name = word()
    const { body } = await add(keeper, { pattern: `^${name}$`, example: name })
    expect((await check(elsewhere, name))['approved']).toBe(true)
    expect((await keeper.send('DELETE', `/approvals/patterns/${body.id}`)).status).toBe(204)
    expect((await check(elsewhere, name))['approved']).toBe(false)
    expect((await spend(elsewhere, { content: name, path: 'a' })).status).toBe(409)
    expect((await keeper.send('DELETE', `/approvals/patterns/${body.id}`)).status).toBe(404)
  })

  it('loses to a rejection of the same content, and the rejection is counted against it', async () => {
    const name = word()
    const blocked = await block(hook, { content: `${name}\n` })
    const { body } = await add(keeper, { pattern: `^${name}$`, example: name })
    await reject(guard, blocked.id)
    expect(await spend(hook, blocked)).toMatchObject({ status: 409, body: { error: 'rejected' } })
    const again = await block(hook, blocked)
    expect(again.id).not.toBe(blocked.id)
    expect(await spend(hook, blocked)).toMatchObject({ status: 409, body: { error: 'not_approved' } })
    expect((await check(hook, blocked.content, blocked.path))['approved']).toBe(false)
    await approve(guard, again.id)
    expect((await spend(hook, blocked)).body['via']).toBe('token')
    expect((await spend(hook, blocked)).body['via']).toBe('pattern')
    const last = await block(hook, blocked)
    await reject(guard, last.id)
    expect(await check(hook, blocked.content, blocked.path)).toMatchObject({
      approved: false,
      status: 'rejected',
    })
    const list = await hook.send('GET', '/approvals/patterns')
    const shown = (list.body['patterns'] as { id: string }[]).find(({ id }) => id === body.id)
    expect(shown).toMatchObject({ overturned: 2 })
  })

  it('can be added with an approval if the key may add patterns', async () => {
    const name = word()
    const blocked = await block(hook, { content: `${name}(1)\n` })
    const approved = await approve(guard, blocked.id, { pattern: `^${name}\\(\\d+\\)$` })
    expect(approved).toMatchObject({ status: 200, body: { pattern: expect.stringMatching(/^pat_/) } })
    expect((await check(hook, `${name}(2)\n`))['via']).toBe('pattern')
    const other = await block(hook)
    expect(await approve(guard, other.id, { pattern: '^nothing of it$' })).toMatchObject({
      status: 422,
      body: { error: 'invalid_pattern' },
    })
    expect((await hook.send('GET', `/approvals/changes/${other.id}`)).body['status']).toBe('blocked')
  })

  it('does not allow writes of the key that added it', async () => {
    const name = word()
    const both = await callerWith(registry, ['hook', 'pattern'])
    expect((await add(both, { pattern: `^${name}$`, example: name })).status).toBe(201)
    const request = { content: `${name}\n`, path: 'src/app.test.ts' }
    expect(await spend(both, request)).toMatchObject({ status: 409, body: { error: 'not_approved' } })
    expect(await spend(hook, request)).toMatchObject({ status: 200, body: { via: 'pattern' } })
  })

  it('cannot be added by a key that asked for changes', async () => {
    const name = word()
    const both = await callerWith(registry, ['hook', 'pattern', 'approve'], 'both')
    await block(both, { content: `${name}\n` })
    expect(await add(both, { pattern: `^${name}$`, example: name })).toMatchObject({
      status: 403,
      body: { error: 'self_approval' },
    })
    const held = await add(both, { pattern: `^${name}$`, example: name, kind: 'block' })
    expect(held.status).toBe(201)
    expect((await both.send('DELETE', `/approvals/patterns/${held.body.id}`)).body.error).toBe(
      'self_approval',
    )
    expect((await keeper.send('DELETE', `/approvals/patterns/${held.body.id}`)).status).toBe(204)
    const [event] = await registry.db.orm
      .select()
      .from(auditEvent)
      .where(and(eq(auditEvent.actor, both.id), eq(auditEvent.action, 'change.self_approval')))
    expect(event).toMatchObject({ subject: 'pattern' })
  })
})

describe('a block pattern', () => {
  it('overrides every approval and every other pattern', async () => {
    const name = word()
    const blocked = await block(hook, { content: `fine()\neval(${name})\n` })
    const { token } = (await approve(guard, blocked.id)).body
    await add(keeper, { pattern: `^fine\\(\\)\\neval\\(${name}\\)$`, example: `fine()\neval(${name})` })
    const { body } = await add(keeper, { kind: 'block', pattern: `eval\\(${name}`, example: `eval(${name})` })
    for (const caller of [hook, elsewhere]) {
      expect(await spend(caller, { ...blocked, token })).toMatchObject({
        status: 409,
        body: { error: 'blocked_pattern', pattern: body.id },
      })
      expect(await check(caller, blocked.content)).toMatchObject({ approved: false, pattern: body.id })
      expect(
        (await caller.send('GET', `/approvals/check?hash=${blocked.contentHash}`)).body['approved'],
      ).toBe(false)
    }
    const other = await block(hook, { content: `eval(${name})\n` })
    expect(await approve(guard, other.id)).toMatchObject({ status: 409, body: { error: 'blocked_pattern' } })
    await keeper.send('DELETE', `/approvals/patterns/${body.id}`)
    expect((await spend(elsewhere, { ...blocked, token })).status).toBe(200)
  })
})

describe('adding a pattern', () => {
  it.each([
    ['that does not compile', { pattern: '(', example: '(' }],
    ['with a lookahead', { pattern: '(?=a)b', example: 'b' }],
    ['with a back-reference', { pattern: '(a)\\1', example: 'aa' }],
    ['that does not match its example', { pattern: '^a$', example: 'b' }],
    ['that does not match all of its example', { pattern: '^a$', example: 'a\nb' }],
    ['that matches everything', { pattern: '.*', example: 'a' }],
    ['that matches anything', { pattern: '[\\s\\S]', example: 'a' }],
    ['that matches only blank lines', { pattern: '^$', example: 'a' }],
    ['that matches ordinary sources', { pattern: '^.+$', example: 'a' }],
    ['that is in most sources', { pattern: ';', example: 'a;' }],
    ['that blocks ordinary sources', { kind: 'block', pattern: 'return', example: 'return' }],
    ['that is too long', { pattern: 'a'.repeat(2001), example: 'a' }],
    ['whose program is too large', { pattern: '((a{500}){500}){500}', example: 'a' }],
    ['without an example', { pattern: '^a$', example: '' }],
    ['of an unknown kind', { kind: 'maybe', pattern: '^a$', example: 'a' }],
  ])('is refused for one %s', async (_what, request) => {
    const { status, body } = await add(keeper, request)
    expect(status).toBe(422)
    expect(body.message).toMatch(/^Cannot /)
  })

  it('is refused if it already exists', async () => {
    const name = word()
    expect((await add(keeper, { pattern: `^${name}$`, example: name })).status).toBe(201)
    expect(await add(guard, { pattern: `^${name}$`, example: name })).toMatchObject({
      status: 409,
      body: { error: 'duplicate_pattern' },
    })
  })

  it('is refused without the scope, and under the name of another specialist', async () => {
    for (const other of [hook, await callerWith(registry, ['approve'], 'other')])
      expect(await add(other, { pattern: '^a$', example: 'a' })).toMatchObject({
        status: 403,
        body: { scope: 'pattern' },
      })
    for (const approver of ['guard', 'k\u0435\u0435per'])
      expect(await add(keeper, { pattern: '^a1$', example: 'a1', approver })).toMatchObject({
        status: 403,
        body: { error: 'approver_mismatch' },
      })
    expect((await add(keeper, { pattern: '^a1$', example: 'a1', approver: 'Keeper' })).status).toBe(201)
  })

  it('accepts a slow pattern; content that takes too long is refused without delaying other requests', async () => {
    const registry = await startRegistry()
    const slow = await callerWith(registry, ['pattern'])
    const asker = await callerWith(registry, ['hook'])
    const example = `a${'a'.repeat(900)}c`
    expect((await add(slow, { kind: 'block', pattern: 'a[ab]{900}[cd]', example })).status).toBe(201)
    let random = 1
    const next = () => (random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fff_ffff) >> 16
    const letters = Array.from({ length: 1_000_000 }, () => (next() & 1 ? 'a' : 'b'))
    const answered: string[] = []
    const hard = check(asker, letters.join('')).finally(() => answered.push('hard'))
    const easy = await check(asker, 'easy').finally(() => answered.push('easy'))
    expect(easy['approved']).toBe(false)
    await hard
    expect(answered).toEqual(['easy', 'hard'])
    expect(await hard).toMatchObject({ error: 'unavailable', message: expect.stringContaining('in time') })
    await registry.stop()
  })

  it('accepts a pattern that backtracks in other engines, and matches a megabyte quickly', async () => {
    expect((await add(keeper, { pattern: '^(z+)+!$', example: 'zz!' })).status).toBe(201)
    const content = `${'z'.repeat(900_000)}?`
    expect((await check(hook, content))['approved']).toBe(false)
  })
})

describe('the specialists of a type', () => {
  it('come from the configuration, for decisions and for patterns', async () => {
    const types = {
      test: { paths: ['**/*.test.*'], specialists: ['test-guard'], expirySeconds: 60 },
      security: { paths: ['**/auth/**'], specialists: ['security'] },
    }
    await writeFile(join(registry.configDir, 'approvals.json'), JSON.stringify({ types }))
    await expect
      .poll(async () => (await block(hook, { path: 'src/a.test.ts' })).body['type'], { timeout: 10_000 })
      .toBe('test')
    const tester = await callerWith(registry, ['approve', 'pattern'], 'Test Guard')
    const blocked = await block(hook, { path: 'src/b.test.ts' })
    expect(blocked.body).toMatchObject({ type: 'test', specialists: ['test-guard'] })
    expect(await approve(guard, blocked.id)).toMatchObject({
      status: 403,
      body: { error: 'wrong_specialist', specialists: ['test-guard'] },
    })
    expect((await reject(guard, blocked.id)).status).toBe(403)
    const { body } = await approve(tester, blocked.id)
    const left = Date.parse(String(body['expires'])) - Date.now()
    expect(left).toBeLessThanOrEqual(60_000)
    const name = word()
    const request = { pattern: `^${name}$`, example: name }
    expect((await add(guard, { ...request, type: 'test' })).body.error).toBe('wrong_specialist')
    expect((await add(tester, { ...request, type: 'test' })).status).toBe(201)
    expect((await add(guard, { pattern: `^${name}!$`, example: `${name}!`, type: 'any' })).body.error).toBe(
      'wrong_specialist',
    )
    expect(
      (await add(guard, { pattern: `${name}!`, example: `${name}!`, type: 'any', kind: 'block' })).status,
    ).toBe(201)
    const sends = (path: string) => spend(hook, { content: name, path })
    expect((await sends('src/c.test.ts')).status).toBe(200)
    expect((await sends('src/auth/c.ts')).status).toBe(409)
    expect((await sends('src/c.ts')).status).toBe(200)
  })
})
