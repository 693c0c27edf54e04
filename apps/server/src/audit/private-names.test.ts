import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { record } from '../../test/audit.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

const NAME = 'acme.secret.recipe.cook'
let registry: TestRegistry
let reviewer: { Authorization: string }
let draft: string

beforeAll(async () => {
  registry = await startRegistry()
  reviewer = await registry.key('approve')
  draft = await publish(NAME, 'private', 'one')
  await publish(NAME, 'private', 'two')
  await publish('acme.open.later.public', 'private', 'three')
  await publish('acme.open.later.public', 'public', 'four')
  await publish('acme.secret.gone.retired', 'private', 'five')
  const admin = await registry.key('admin')
  await registry.fetch('/mcp/acme.secret.gone.retired', { method: 'DELETE', headers: admin })
  await registry.key(`publish:${NAME}`)
  await record(registry.db, NAME, { server: 'told by a hook' })
})
afterAll(() => registry.stop())

async function publish(name: string, visibility: string, text: string): Promise<string> {
  const headers = { ...(await registry.key('admin')), 'Content-Type': 'application/typescript' }
  const init = { method: 'PUT', body: `export default "${text}"\n`, headers }
  const response = await registry.fetch(`/mcp/${name}?visibility=${visibility}`, init)
  expect(response.status).toBe(201)
  return ((await response.json()) as { integrity: string }).integrity
}

const read = async (path: string, headers: Record<string, string> = reviewer) => {
  const response = await registry.fetch(path, { headers })
  return { status: response.status, text: await response.text() }
}

async function call(tool: string, args: object) {
  const response = await registry.fetch(`/tools/${tool}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...reviewer },
    body: JSON.stringify(args),
  })
  return response.text()
}

describe('an approver without the right to read private entries', () => {
  it('sees no private name anywhere in the audit log', async () => {
    const texts = [
      (await read('/audit?limit=100')).text,
      (await read(`/audit?subject=${NAME}`)).text,
      (await read('/audit?q=secret')).text,
      (await read(`/audit?q=${draft}`)).text,
      (await read('/audit/head')).text,
      (await read('/audit/flags')).text,
      (await read('/audit/report')).text,
      (await read('/approvals/export')).text,
      await call('audit_search', { limit: 100 }),
      await call('audit_flags', {}),
      await call('audit_report', {}),
      await call('audit_verify', {}),
    ]
    for (const text of texts) {
      expect(text).not.toContain('acme.secret')
      expect(text).not.toContain(draft)
    }
    expect(texts[0]).toContain('acme.open.later.public')
    expect(texts[0]).toContain('publish:…')
  })

  it('sees only the public events of a name that became public', async () => {
    const { text } = await read('/audit?subject=acme.open.later.public')
    const { events } = JSON.parse(text) as { events: { detail: Record<string, unknown> }[] }
    expect(events).toHaveLength(1)
    expect(events[0]?.detail).not.toHaveProperty('previous')
  })

  it('cannot export the log; the error names the missing scope', async () => {
    const { status, text } = await read('/audit/export')
    expect([status, JSON.parse(text)]).toMatchObject([403, { error: 'forbidden', scope: 'read:*' }])
  })
})

describe('an approver who may read private entries', () => {
  it('sees the entries of its org', async () => {
    const own = await registry.key('approve', 'read:acme')
    expect((await read(`/audit?subject=${NAME}`, own)).text).toContain(NAME)
    const foreign = await registry.key('approve', 'read:other', 'publish:acme.open')
    expect((await read(`/audit?subject=${NAME}`, foreign)).text).not.toContain(NAME)
    const publisher = await registry.key('approve', 'publish:acme.secret.*')
    expect((await read(`/audit?subject=${NAME}`, publisher)).text).toContain(NAME)
  })

  it('sees and exports everything with read:*', async () => {
    const all = await registry.key('approve', 'read:*')
    expect((await read('/audit?limit=100', all)).text).toContain(`publish:${NAME}`)
    const { status, text } = await read('/audit/export', all)
    expect([status, text.includes(NAME)]).toEqual([200, true])
  })
})
