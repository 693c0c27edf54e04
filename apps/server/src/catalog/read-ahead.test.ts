import { afterEach, expect, it, vi } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

const running: TestRegistry[] = []

afterEach(async () => {
  for (const registry of running.splice(0)) await registry.stop()
})

async function start(databaseUrl?: string): Promise<TestRegistry> {
  const registry = await startRegistry(databaseUrl === undefined ? {} : { databaseUrl })
  running.push(registry)
  return registry
}

const heldBytes = async ({ fetch }: TestRegistry) =>
  Number(/^pml_cache_bytes (\d+)$/m.exec(await (await fetch('/metrics')).text())?.[1])

it('has entries near at hand after a start, before anyone read them', async () => {
  const first = await start()
  const Authorization = (await first.key('admin')).Authorization
  for (let index = 0; index < 3; index++) {
    const { status } = await first.fetch(`/mcp/acme.ahead.ns.tool_${index}`, {
      method: 'PUT',
      headers: { Authorization, 'Content-Type': 'application/typescript' },
      body: `export default async () => ${index}`,
    })
    expect(status).toBe(201)
  }
  const second = await start(first.databaseUrl)
  await vi.waitFor(async () => expect(await heldBytes(second)).toBe(3 * 250), 5000)
})
