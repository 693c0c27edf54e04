import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { block, callerWith, type Caller } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { auditEvent } from '../db/schema.ts'

let registry: TestRegistry
let hook: Caller
let guard: Caller

beforeAll(async () => {
  const config = { types: { security: { paths: ['**/.env'], proof: ['agent-free', 'console'] } } }
  registry = await startRegistry({ configFiles: { 'approvals.json': JSON.stringify(config) } })
  hook = await callerWith(registry, ['hook'])
  guard = await callerWith(registry, ['approve'], 'Test Guard')
})
afterAll(() => registry.stop())

const approve = (id: string, proof?: string) =>
  guard.send('POST', `/approvals/changes/${id}/approve`, { reason: 'it is right', ...(proof && { proof }) })

async function proofsOf(id: string): Promise<unknown[]> {
  const events = await registry.db.orm
    .select()
    .from(auditEvent)
    .where(eq(auditEvent.subject, id))
    .orderBy(auditEvent.id)
  return events.map(({ action, detail }) => [action, (detail as { proof?: string }).proof])
}

it('refuses an approval without proof of a person if the type requires it, and audits the proof', async () => {
  const { id } = await block(hook, { path: 'app/.env' })
  for (const proof of [undefined, 'none', 'dialog']) {
    const { status, body } = await approve(id, proof)
    expect([status, body.error]).toEqual([403, 'person_required'])
  }
  expect((await approve(id, 'agent-free')).status).toBe(200)
  expect(await proofsOf(id)).toEqual(
    expect.arrayContaining([
      ['change.person_required', 'dialog'],
      ['change.approve', 'agent-free'],
    ]),
  )
})

it('accepts a proof for other types, and refuses an unknown proof', async () => {
  const { id } = await block(hook, { path: 'src/a.ts' })
  expect((await approve(id, 'sworn')).status).toBe(422)
  expect((await approve(id)).status).toBe(200)
})
