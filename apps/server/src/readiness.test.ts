import { expect, it } from 'vitest'
import { startRegistry } from '../test/registry.ts'

it('shows everyone which check fails, and only an admin the problem', async () => {
  const registry = await startRegistry({ configFiles: { 'approvals.json': '{"types": 7}' } })
  const read = async (headers: Record<string, string> = {}) => {
    const response = await registry.fetch('/readyz', { headers })
    return { status: response.status, body: await response.json() }
  }
  const failing = { database: 'ok', migrations: 'ok', config: 'failing' }
  expect(await read()).toEqual({ status: 503, body: { status: 'not ready', checks: failing } })
  expect((await read(await registry.key('hook'))).body).toMatchObject({ checks: failing })
  const { body } = await read(await registry.key('admin'))
  expect(body).toMatchObject({ checks: { config: expect.stringContaining('approvals.json') } })
  await registry.stop()
})
