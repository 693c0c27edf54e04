import { integrityOf } from '@pml/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../apps/server/test/registry.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import type { Fetched, IntegrityApprovalRequired } from '../index.ts'

const NAME = 'acme.tools.text.shout'

let registry: TestRegistry
let key: Record<string, string>
let workspace: TestWorkspace

beforeAll(async () => {
  registry = await startRegistry()
  key = await registry.key('admin')
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
})
afterEach(() => workspace.remove())

async function publish(code: string, name = NAME): Promise<string> {
  const response = await registry.fetch(`/mcp/${name}`, { method: 'PUT', headers: key, body: code })
  return ((await response.json()) as { fqdn: string }).fqdn
}

describe('fetching', () => {
  it('gives the verified bytes of a name, an FQDN and a tool, and locks them', async () => {
    const code = 'export default () => "a"\n'
    const fqdn = await publish(code)
    const pml = await workspace.open()
    for (const reference of [NAME, fqdn, 'text:shout']) {
      const fetched = (await pml.fetch(reference)) as Fetched
      expect(fetched).toMatchObject({ approvalRequired: false, fqdn, type: 'deno', routing: 'client' })
      expect(Buffer.from(fetched.bytes).toString()).toBe(code)
      expect(fetched.integrity).toBe(integrityOf(Buffer.from(code)))
    }
    const lock = JSON.parse((await workspace.readLock()) ?? '') as { entries: object }
    expect(Object.keys(lock.entries)).toEqual([fqdn])
  })

  it('stops at changed content, shows what changed, and goes on when a person says yes', async () => {
    const before = await publish('export default () => "one"\n')
    const pml = await workspace.open()
    await pml.fetch(NAME)
    const locked = await workspace.readLock()
    const after = await publish('export default () => "two"\n')
    const approval = (await pml.fetch(before)) as IntegrityApprovalRequired
    const [oldHash, newHash] = [before, after].map((fqdn) => fqdn.split('.').at(-1))
    expect(approval).toMatchObject({
      approvalRequired: true,
      approvalType: 'integrity',
      fqdn: NAME,
      oldHash,
      newHash,
      description: `Hash changed for ${NAME}. Old: ${oldHash}, New: ${newHash}. This could indicate a legitimate update or potential MITM attack.`,
      diff: expect.stringContaining('+export default () => "two"'),
    })
    expect(await workspace.readLock()).toBe(locked)
    const fetched = await pml.continueWorkflow({ workflowId: approval.workflowId, approved: true })
    expect(fetched).toMatchObject({ approvalRequired: false, fqdn: after, lock: 'updated' })
    expect(await workspace.readLock()).toContain(after)
  })
})
