import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, block, callerWith, spend, type Caller } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { dropContents } from '../audit/drop-contents.ts'

let registry: TestRegistry
let guard: Caller
const limits = { openPerKey: 5, open: 12, megabytesPerKey: 1, megabytes: 2 }

beforeAll(async () => {
  registry = await startRegistry({ configFiles: { 'approvals.json': JSON.stringify({ limits }) } })
  guard = await callerWith(registry, ['approve'], 'guard')
})
afterAll(() => registry.stop())

let count = 0
const large = (size: number) => `${++count}${'x'.repeat(size)}`
const statusesOf = (all: readonly { status: number }[]) => all.map(({ status }) => status).toSorted()
const decideAll = async (changes: readonly { id: string }[]) => {
  for (const { id } of changes)
    await guard.send('POST', `/approvals/changes/${id}/reject`, { reason: 'no', education: 'no' })
}

describe('open changes', () => {
  it('are limited per key, even for concurrent requests, until they are decided', async () => {
    const hook = await callerWith(registry, ['hook'])
    const all = await Promise.all(Array.from({ length: 20 }, () => block(hook)))
    expect(statusesOf(all)).toEqual([...Array(5).fill(201), ...Array(15).fill(429)])
    const refused = await hook.send('POST', '/approvals/changes', {
      tool: 'Write',
      path: 'a.ts',
      content: large(1),
    })
    expect(refused.body).toMatchObject({
      error: 'too_many_changes',
      message: expect.stringMatching(
        /^Cannot keep the change: key \S+ already has 5 .* limits\.openPerKey in config/,
      ),
    })
    const kept = all.filter(({ status }) => status === 201)
    expect((await block(hook, kept[0])).status).toBe(200)
    await decideAll(kept.slice(0, 1))
    expect((await block(hook)).status).toBe(201)
    await decideAll(kept.slice(1))
  })

  it('are limited in total', async () => {
    const hooks = await Promise.all(Array.from({ length: 3 }, () => callerWith(registry, ['hook'])))
    const all = await Promise.all(hooks.flatMap((hook) => Array.from({ length: 5 }, () => block(hook))))
    expect(statusesOf(all).filter((status) => status === 429).length).toBeGreaterThan(2)
    await decideAll(all.filter(({ status }) => status === 201))
  })

  it('block the call of a hook over HTTP when the limit is reached, with the reason', async () => {
    const hook = await callerWith(registry, ['hook'])
    for (let index = 0; index < 5; index++) await block(hook)
    const wanted = [
      { path: 'a.ts', content: large(1), rule: 'R', specialist: 'guard', reason: 'It is guarded' },
    ]
    const body = { agent: 'claude', session: 's', tool: 'Write', wanted }
    expect(await hook.send('POST', '/hooks/approvals', body)).toMatchObject({
      status: 429,
      body: { error: 'too_many_changes' },
    })
  })
})

describe('asking again for the same content', () => {
  const events = async (id: string) => {
    const rows = await registry.db.sql`select action from audit_event where subject = ${id} order by id`
    return rows.map((row) => row['action'])
  }

  it('is logged once per asker', async () => {
    const hook = await callerWith(registry, ['hook'])
    const first = await block(hook, { agent: 'one' })
    for (let index = 0; index < 3; index++) await block(hook, { ...first, agent: 'one' })
    expect(await events(first.id)).toEqual(['change.block'])
    await block(hook, { ...first, agent: 'two' })
    expect(await events(first.id)).toEqual(['change.block', 'change.block'])
    await decideAll([first])
  })

  it('is logged again when an expired approval reopens the change', async () => {
    const hook = await callerWith(registry, ['hook'])
    const first = await block(hook)
    await approve(guard, first.id)
    await registry.db.sql`update change set expires_at = now() - interval '1 s' where id = ${first.id}`
    expect(await block(hook, first)).toMatchObject({ id: first.id })
    expect(await events(first.id)).toEqual(['change.block', 'change.approve', 'change.block'])
    await decideAll([first])
  })

  it('is refused beyond the limit of askers, so that every asker is stored', async () => {
    const hook = await callerWith(registry, ['hook'])
    const first = await block(hook)
    await registry.db.sql`insert into change_request (change_id, key_id, session)
      select ${first.id}, ${hook.id}, 'session ' || n from generate_series(1, 999) n`
    expect((await block(hook, first)).status).toBe(200)
    const { path, content } = first
    const late = { tool: 'Write', path, content, session: 'one more' }
    expect(await hook.send('POST', '/approvals/changes', late)).toMatchObject({
      status: 429,
      body: { error: 'too_many_changes', message: expect.stringContaining('1000 agents and sessions') },
    })
    await decideAll([first])
  })
})

describe('the stored content of a key', () => {
  it('is limited in bytes, and counts decided changes until their content is dropped', async () => {
    const hook = await callerWith(registry, ['hook'])
    const first = await block(hook, { content: large(900_000) })
    const { token } = (await approve(guard, first.id)).body
    expect((await spend(hook, { ...first, token })).status).toBe(200)
    const next = { content: large(200_000) }
    const refused = await block(hook, next)
    expect(refused.status).toBe(507)
    await dropContents(registry.db, { days: 1 })
    expect((await block(hook, next)).status).toBe(507)
    await registry.db
      .sql`update change set decided_at = now() - interval '3 days', used_at = now() - interval '2 days'
      where id = ${first.id}`
    await dropContents(registry.db, { days: 1 })
    expect((await block(hook, next)).status).toBe(201)
    const { body } = await guard.send('GET', `/approvals/changes/${first.id}`)
    expect(body).toMatchObject({
      status: 'used',
      content: '',
      warnings: [
        expect.stringMatching(/^Its content was dropped on \d{4}-\d\d-\d\d, after the retention time$/),
      ],
    })
    expect((await guard.send('GET', '/audit/report')).status).toBe(200)
  })
})
